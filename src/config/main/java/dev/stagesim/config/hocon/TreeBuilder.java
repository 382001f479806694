package dev.stagesim.config.hocon;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A map under construction. Duplicate keys follow HOCON's rules: maps are merged, other values replaced. */
final class TreeBuilder {
    private final Map<String, Object> entries = new LinkedHashMap<>();
    private final Origin origin;

    TreeBuilder(Origin origin) {
        this.origin = origin;
    }

    /** Returns the map at {@code path}. Creates it, or replaces a value of another kind. */
    TreeBuilder child(List<String> path, Origin where) {
        TreeBuilder map = this;
        for (String key : path) {
            if (!(map.entries.get(key) instanceof TreeBuilder)) {
                map.entries.put(key, new TreeBuilder(where));
            }
            map = (TreeBuilder) map.entries.get(key);
        }
        return map;
    }

    /** Sets the value at {@code path}. Maps are merged. */
    void put(List<String> path, Node value) {
        TreeBuilder map = child(path.subList(0, path.size() - 1), value.origin());
        String key = path.get(path.size() - 1);
        if (value instanceof MapNode given) {
            TreeBuilder target = map.child(List.of(key), given.origin());
            given.entries().forEach((name, node) -> target.put(List.of(name), node));
            return;
        }
        Node before = map.node(key);
        map.entries.put(key, value instanceof ScalarNode leaf && before != null ? leaf.replacing(before) : value);
    }

    /** Returns the current value at {@code path}, or null if there is none. */
    @Nullable
    Node get(List<String> path) {
        TreeBuilder map = this;
        for (String key : path.subList(0, path.size() - 1)) {
            if (!(map.entries.get(key) instanceof TreeBuilder next)) {
                return null;
            }
            map = next;
        }
        return map.node(path.get(path.size() - 1));
    }

    private @Nullable Node node(String key) {
        Object value = entries.get(key);
        return value instanceof TreeBuilder map ? map.build() : (Node) value;
    }

    MapNode build() {
        Map<String, Node> built = new LinkedHashMap<>();
        entries.forEach((key, value) -> built.put(key, value instanceof TreeBuilder map ? map.build() : (Node) value));
        return MapNode.of(built, origin);
    }
}
