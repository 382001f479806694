package dev.stagesim.pipeline;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.stage.StageContext.SameAs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** New values in a configuration tree, as a stage spells them. */
final class ConfigChanges {
    private ConfigChanges() {}

    static MapNode apply(MapNode tree, Map<String, Object> changes) {
        return apply(tree, tree, changes);
    }

    /**
     * Puts new values into a tree.
     *
     * @param from the tree that {@link SameAs} refers to
     */
    static MapNode apply(MapNode tree, MapNode from, Map<String, Object> changes) {
        MapNode changed = tree;
        for (Map.Entry<String, Object> change : changes.entrySet()) {
            List<String> path = Arrays.asList(change.getKey().split("\\."));
            changed = with(changed, path, node(from, change.getValue()));
        }
        return changed;
    }

    private static MapNode with(MapNode tree, List<String> path, Node value) {
        String name = path.get(0);
        if (path.size() == 1) {
            return tree.with(name, value);
        }
        MapNode section = tree.get(name) instanceof MapNode map ? map : MapNode.empty();
        return tree.with(name, with(section, path.subList(1, path.size()), value));
    }

    private static Node node(MapNode tree, Object value) {
        if (value instanceof SameAs same) {
            return at(tree, same.key());
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, Node> entries = new LinkedHashMap<>();
            map.forEach((key, item) -> entries.put((String) key, node(tree, item)));
            return MapNode.of(entries, Origin.UNKNOWN);
        }
        if (value instanceof List<?> list) {
            List<Node> items = new ArrayList<>();
            list.forEach(item -> items.add(node(tree, item)));
            return new ListNode(items, Origin.UNKNOWN);
        }
        if (value instanceof Optional<?> optional) {
            return optional.isEmpty() ? ScalarNode.ofNull(Origin.UNKNOWN) : node(tree, optional.get());
        }
        if (value instanceof Boolean flag) {
            return ScalarNode.of(flag, Origin.UNKNOWN);
        }
        if (value instanceof Integer || value instanceof Long) {
            return ScalarNode.of(((Number) value).longValue(), Origin.UNKNOWN);
        }
        if (value instanceof Double number) {
            return ScalarNode.of(number, number.toString(), Origin.UNKNOWN);
        }
        if (value instanceof String text) {
            return ScalarNode.of(text, Origin.UNKNOWN);
        }
        throw new IllegalStateException("a configuration cannot hold " + value.getClass());
    }

    private static Node at(MapNode tree, String key) {
        Node node = tree;
        for (String part : key.split("\\.", -1)) {
            Node next = node instanceof MapNode map ? map.get(part) : null;
            if (next == null) {
                throw new IllegalStateException("the configuration has no " + key);
            }
            node = next;
        }
        return node;
    }
}
