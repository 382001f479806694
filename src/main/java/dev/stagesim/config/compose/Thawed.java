package dev.stagesim.config.compose;

import dev.stagesim.config.compose.typed.Typing;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Paths;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A map that takes many values one after the other, each merged as files are, without a copy of the map for each. */
final class Thawed {
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
