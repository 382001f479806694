package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.hocon.Splice;
import dev.stagesim.config.hocon.SpliceJoin;
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

/**
 * Puts values together that depend on the composed tree.
 *
 * <p>A reference to the key's own earlier value is filled in while files are merged; references to other keys wait
 * until all files are merged, and then become interpolations, so that overrides of what they name still count.
 */
final class Splices {
    private final List<Splice> waiting = new ArrayList<>();

    /** Applies the splices of a file whose body was just merged at {@code place}. */
    MapNode add(MapNode tree, List<String> place, List<Splice> splices) {
        MapNode current = tree;
        for (Splice splice : splices) {
            List<String> path = Paths.join(place, splice.path());
            Optional<Node> before = Optional.ofNullable(Paths.get(current, path));
            Splice placed = new Splice(path, filled(splice.parts(), before), splice.origin());
            if (placed.parts().stream().allMatch(part -> part.node().isPresent())) {
                current =
                        put(current, placed, SpliceJoin.join(placed, Optional.empty(), reference -> Optional.empty()));
            } else {
                waiting.add(placed);
            }
        }
        return current;
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
        MapNode current = tree;
        for (Splice splice : waiting) {
            MapNode seen = current;
            current = put(current, splice, SpliceJoin.join(splice, Optional.empty(), reference -> Optional.ofNullable(
                            Paths.get(seen, reference))
                    .map(node -> reference(reference, node))));
        }
        return current;
    }

    private static MapNode put(MapNode tree, Splice splice, Optional<Node> value) {
        if (value.isEmpty()) {
            return tree;
        }
        Merger merger = new Merger(new Typing(), Merger.NewKeys.ANY);
        return (MapNode) merger.merge(List.of(), tree, Paths.wrap(splice.path(), value.get()));
    }

    /** What stands for {@code node} elsewhere: its shape, with interpolations for its leaves. */
    private static Node reference(List<String> path, Node node) {
        if (node instanceof MapNode map) {
            Map<String, Node> entries = new LinkedHashMap<>();
            map.entries().forEach((key, value) -> entries.put(key, reference(Paths.child(path, key), value)));
            return MapNode.of(entries, map.origin());
        }
        if (node instanceof ListNode list) {
            List<Node> items = new ArrayList<>();
            for (Node item : list.items()) {
                items.add(reference(Paths.child(path, String.valueOf(items.size())), item));
            }
            return new ListNode(items, list.origin());
        }
        StringBuilder text = new StringBuilder("${");
        for (String key : path) {
            boolean plain = key.matches("[A-Za-z0-9_$-]+");
            text.append(plain ? (text.length() > 2 ? "." : "") + key : "[" + key + "]");
        }
        return ScalarNode.of(text.append('}').toString(), node.origin());
    }
}
