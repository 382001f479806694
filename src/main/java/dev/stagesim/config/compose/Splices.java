package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.hocon.Splice;
import dev.stagesim.config.hocon.SpliceJoin;
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
 * Puts values together that depend on the composed tree.
 *
 * <p>A reference to the key's own earlier value is filled in while files are merged; references to other keys wait
 * until all files are merged, and then become interpolations, so that overrides of what they name still count.
 */
final class Splices {
    private static final int DEEPEST = 200;
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_$-]+");

    private final List<Splice> waiting = new ArrayList<>();
    private final SpliceJoin joins = new SpliceJoin();

    /** Applies the splices of a file whose body was just merged at {@code place}. */
    MapNode add(MapNode tree, List<String> place, List<Splice> splices) {
        if (splices.isEmpty()) {
            return tree;
        }
        Thawed current = new Thawed(tree);
        for (Splice splice : splices) {
            List<String> path = Paths.join(place, splice.path());
            Splice placed = new Splice(path, filled(splice.parts(), current.get(path)), splice.origin());
            if (placed.parts().stream().allMatch(part -> part.node().isPresent())) {
                joins.join(placed, Optional.empty(), reference -> Optional.empty())
                        .ifPresent(value -> current.put(List.of(), path, value));
            } else {
                waiting.add(placed);
            }
        }
        return current.freeze();
    }

    private static List<Splice.Part> filled(List<Splice.Part> parts, Optional<Node> before) {
        List<Splice.Part> filled = new ArrayList<>();
        for (Splice.Part part : parts) {
            if (!part.self()) {
                filled.add(part);
            } else if (before.isPresent()) {
                filled.add(new Splice.Part(before, List.of(), false, false));
            }
        }
        return filled;
    }

    /** Forgets what a later file replaces. */
    void replacedBy(List<String> place, Node content) {
        Node placed = Paths.wrap(place, content);
        waiting.removeIf(splice -> {
            Node later = Paths.get(placed, splice.path());
            return later != null && !(later instanceof MapNode);
        });
    }

    /** Joins what had to wait for the whole tree. */
    MapNode finish(MapNode tree) {
        if (waiting.isEmpty()) {
            return tree;
        }
        Thawed current = new Thawed(tree);
        for (Splice splice : waiting) {
            joins.join(splice, Optional.empty(), reference -> current.get(reference)
                            .map(node -> reference(splice, reference, node)))
                    .ifPresent(value -> current.put(List.of(), splice.path(), value));
        }
        return current.freeze();
    }

    /** What stands for {@code node} elsewhere: its shape, with interpolations for its leaves. */
    private Node reference(Splice splice, List<String> path, Node node) {
        if (path.size() > DEEPEST) {
            throw Errors.at(splice.origin(), "nests deeper than " + DEEPEST + " levels");
        }
        if (node instanceof MapNode map) {
            Map<String, Node> entries = new LinkedHashMap<>();
            map.entries().forEach((key, value) -> entries.put(key, reference(splice, Paths.child(path, key), value)));
            return MapNode.of(entries, map.origin());
        }
        if (node instanceof ListNode list) {
            List<Node> items = new ArrayList<>();
            for (Node item : list.items()) {
                items.add(reference(splice, Paths.child(path, String.valueOf(items.size())), item));
            }
            return new ListNode(items, list.origin());
        }
        StringBuilder text = new StringBuilder("${");
        for (String key : path) {
            boolean plain = PLAIN.matcher(key).matches();
            text.append(plain ? (text.length() > 2 ? "." : "") + key : "[" + key + "]");
        }
        joins.take(splice, Allowance.ITEM + text.length(), 0);
        return ScalarNode.of(text.append('}').toString(), node.origin());
    }

    /** A map that takes many values one after the other, each merged as files are, without a copy of the map for each. */
    private static final class Thawed {
        private static final Merger MERGER = new Merger(new Typing(), Merger.NewKeys.ANY);

        private final MapNode before;
        /** Nodes, and the maps on the way to what was put. */
        private final Map<String, Object> entries;

        Thawed(MapNode map) {
            before = map;
            entries = new LinkedHashMap<>(map.entries());
        }

        /** The value at a path; a number selects an element of a list. */
        Optional<Node> get(List<String> path) {
            if (path.isEmpty()) {
                return Optional.of(freeze());
            }
            Object found = entries.get(path.get(0));
            List<String> rest = path.subList(1, path.size());
            return found instanceof Thawed map
                    ? map.get(rest)
                    : Optional.ofNullable((Node) found).map(node -> Paths.get(node, rest));
        }

        /** Merges {@code value} into what is at {@code path}; {@code above} leads to this map. */
        void put(List<String> above, List<String> path, Node value) {
            String key = path.get(0);
            List<String> here = Paths.child(above, key);
            List<String> rest = path.subList(1, path.size());
            Object found = entries.get(key);
            if (!rest.isEmpty() && found instanceof MapNode map) {
                found = new Thawed(map);
                entries.put(key, found);
            }
            if (!rest.isEmpty() && found instanceof Thawed map) {
                map.put(here, rest, value);
            } else {
                Node old = found instanceof Thawed map ? map.freeze() : (Node) found;
                entries.put(key, MERGER.merge(here, old, Paths.wrap(rest, value)));
            }
        }

        MapNode freeze() {
            Map<String, Node> frozen = new LinkedHashMap<>();
            entries.forEach((key, value) -> frozen.put(key, value instanceof Thawed map ? map.freeze() : (Node) value));
            return MapNode.of(frozen, before.origin());
        }
    }
}
