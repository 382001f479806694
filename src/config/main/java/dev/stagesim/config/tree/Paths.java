package dev.stagesim.config.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Follows dotted paths through trees. A number selects an element of a list. */
public final class Paths {
    private Paths() {}

    /** Returns the node at {@code path}, or null if there is none. */
    public static @Nullable Node get(Node from, List<String> path) {
        Node node = from;
        for (String key : path) {
            Node next = null;
            if (node instanceof MapNode map) {
                next = map.get(key);
            } else if (node instanceof ListNode list) {
                int index = index(list, key);
                next = index < 0 ? null : list.items().get(index);
            }
            if (next == null) {
                return null;
            }
            node = next;
        }
        return node;
    }

    /**
     * Returns {@code key} as a list index, or -1 if it is not a number or is out of range. Negative numbers count from
     * the end.
     */
    public static int index(ListNode list, String key) {
        int size = list.items().size();
        try {
            int index = Integer.parseInt(key);
            int fromStart = index < 0 ? index + size : index;
            return fromStart >= 0 && fromStart < size ? fromStart : -1;
        } catch (NumberFormatException noNumber) {
            return -1;
        }
    }

    public static ListNode with(ListNode list, int index, Node item) {
        List<Node> items = new ArrayList<>(list.items());
        items.set(index, item);
        return new ListNode(items, list.origin());
    }

    /** Returns a tree that contains only {@code node}, at {@code path}. */
    public static Node wrap(List<String> path, Node node) {
        Node wrapped = node;
        for (int i = path.size() - 1; i >= 0; i--) {
            Map<String, Node> only = new LinkedHashMap<>();
            only.put(path.get(i), wrapped);
            wrapped = MapNode.of(only, node.origin());
        }
        return wrapped;
    }

    /**
     * Returns the segments of a dotted path; the root has none. A backslash makes a following dot, bracket or {@code =}
     * part of a segment.
     */
    public static List<String> split(String dotted) {
        if (dotted.isEmpty()) {
            return List.of();
        }
        if (dotted.indexOf('\\') < 0) {
            return List.of(dotted.split("\\.", -1));
        }
        return Arrays.stream(dotted.split("(?<!\\\\)\\.", -1))
                .map(segment -> segment.replaceAll("\\\\([.\\[\\]=])", "$1"))
                .toList();
    }

    /** Returns the dotted path that {@link #split} reads. */
    public static String escaped(List<String> path) {
        return path.stream()
                .map(segment -> segment.replaceAll("[.\\[\\]=]", "\\\\$0"))
                .collect(Collectors.joining("."));
    }

    public static List<String> child(List<String> path, String key) {
        List<String> child = new ArrayList<>(path);
        child.add(key);
        return child;
    }

    public static List<String> join(List<String> first, List<String> second) {
        List<String> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    public static String dotted(List<String> path) {
        return String.join(".", path);
    }

    public static MapNode emptyMap(Origin origin) {
        return MapNode.of(Map.of(), origin);
    }

    /** Returns a tree with {@code value} at {@code path}. Absent sections along the path are added. */
    public static MapNode with(MapNode tree, List<String> path, Node value) {
        String name = path.get(0);
        if (path.size() == 1) {
            return tree.with(name, value);
        }
        MapNode section = tree.get(name) instanceof MapNode map ? map : MapNode.empty();
        return tree.with(name, with(section, path.subList(1, path.size()), value));
    }
}
