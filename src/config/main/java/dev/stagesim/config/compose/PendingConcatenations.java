package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.hocon.Concatenation;
import dev.stagesim.config.hocon.ConcatenationResolver;
import dev.stagesim.config.tree.Allowance;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Resolves value concatenations that depend on the composed tree.
 *
 * <p>A reference to the earlier value of the same key is resolved while files are merged. References to other keys are
 * resolved after the merge. They become interpolations, so that later overrides of the referenced keys still apply.
 */
final class PendingConcatenations {
    private static final int MAX_DEPTH = 200;
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_$-]+");

    private final List<Concatenation> waiting = new ArrayList<>();
    private final ConcatenationResolver resolver = new ConcatenationResolver();

    /** Resolves the concatenations of a file that was just merged at {@code place}. */
    MapNode add(MapNode tree, List<String> place, List<Concatenation> concatenations) {
        if (concatenations.isEmpty()) {
            return tree;
        }
        MutableMap current = new MutableMap(tree);
        for (Concatenation concatenation : concatenations) {
            List<String> path = Paths.join(place, concatenation.path());
            Concatenation placed =
                    new Concatenation(path, filled(concatenation.parts(), current.get(path)), concatenation.origin());
            if (placed.parts().stream().allMatch(part -> part.node().isPresent())) {
                resolver.resolve(placed, Optional.empty(), reference -> Optional.empty())
                        .ifPresent(value -> current.put(List.of(), path, value));
            } else {
                waiting.add(placed);
            }
        }
        return current.freeze();
    }

    private static List<Concatenation.Part> filled(List<Concatenation.Part> parts, Optional<Node> before) {
        List<Concatenation.Part> filled = new ArrayList<>();
        for (Concatenation.Part part : parts) {
            if (!part.self()) {
                filled.add(part);
            } else if (before.isPresent()) {
                filled.add(new Concatenation.Part(before, List.of(), false, false));
            }
        }
        return filled;
    }

    /** Removes waiting concatenations that a later file replaces. */
    void replacedBy(List<String> place, Node content) {
        Node placed = Paths.wrap(place, content);
        waiting.removeIf(concatenation -> {
            Node later = Paths.get(placed, concatenation.path());
            return later != null && !(later instanceof MapNode);
        });
    }

    /** Resolves the concatenations that depend on the whole tree. */
    MapNode finish(MapNode tree) {
        if (waiting.isEmpty()) {
            return tree;
        }
        MutableMap current = new MutableMap(tree);
        for (Concatenation concatenation : waiting) {
            resolver.resolve(concatenation, Optional.empty(), reference -> current.get(reference)
                            .map(node -> reference(concatenation, reference, node)))
                    .ifPresent(value -> current.put(List.of(), concatenation.path(), value));
        }
        return current.freeze();
    }

    /** Returns a copy of {@code node} with an interpolation instead of each leaf. */
    private Node reference(Concatenation concatenation, List<String> path, Node node) {
        if (path.size() > MAX_DEPTH) {
            throw Errors.at(concatenation.origin(), "nests deeper than " + MAX_DEPTH + " levels");
        }
        if (node instanceof MapNode map) {
            Map<String, Node> entries = new LinkedHashMap<>();
            map.entries()
                    .forEach((key, value) -> entries.put(key, reference(concatenation, Paths.child(path, key), value)));
            return MapNode.of(entries, map.origin());
        }
        if (node instanceof ListNode list) {
            List<Node> items = new ArrayList<>();
            for (Node item : list.items()) {
                items.add(reference(concatenation, Paths.child(path, String.valueOf(items.size())), item));
            }
            return new ListNode(items, list.origin());
        }
        StringBuilder text = new StringBuilder("${");
        for (String key : path) {
            boolean plain = PLAIN.matcher(key).matches();
            text.append(plain ? (text.length() > 2 ? "." : "") + key : "[" + key + "]");
        }
        resolver.charge(concatenation, Allowance.ITEM + text.length(), 0);
        return ScalarNode.of(text.append('}').toString(), node.origin());
    }

    /** A mutable map. Values are merged into it as files are, without a copy of the map per value. */
    private static final class MutableMap {
        private static final Merger MERGER = new Merger(new Typing(), Merger.NewKeys.ANY);

        private final MapNode before;
        /** Nodes, and mutable maps on the paths of changed values. */
        private final Map<String, Object> entries;

        MutableMap(MapNode map) {
            before = map;
            entries = new LinkedHashMap<>(map.entries());
        }

        /** Returns the value at a path. A number selects an element of a list. */
        Optional<Node> get(List<String> path) {
            if (path.isEmpty()) {
                return Optional.of(freeze());
            }
            Object found = entries.get(path.get(0));
            List<String> rest = path.subList(1, path.size());
            return found instanceof MutableMap map
                    ? map.get(rest)
                    : Optional.ofNullable((Node) found).map(node -> Paths.get(node, rest));
        }

        /** Merges {@code value} into the value at {@code path}. The path of this map is {@code above}. */
        void put(List<String> above, List<String> path, Node value) {
            String key = path.get(0);
            List<String> here = Paths.child(above, key);
            List<String> rest = path.subList(1, path.size());
            Object found = entries.get(key);
            if (!rest.isEmpty() && found instanceof MapNode map) {
                found = new MutableMap(map);
                entries.put(key, found);
            }
            if (!rest.isEmpty() && found instanceof MutableMap map) {
                map.put(here, rest, value);
            } else {
                Node old = found instanceof MutableMap map ? map.freeze() : (Node) found;
                entries.put(key, MERGER.merge(here, old, Paths.wrap(rest, value)));
            }
        }

        MapNode freeze() {
            Map<String, Node> frozen = new LinkedHashMap<>();
            entries.forEach(
                    (key, value) -> frozen.put(key, value instanceof MutableMap map ? map.freeze() : (Node) value));
            return MapNode.of(frozen, before.origin());
        }
    }
}
