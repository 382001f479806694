package dev.stagesim.pipeline.request;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.Paths;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.stage.StageContext.SameAs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Applies changes of stages to a configuration tree. */
final class ConfigChanges {
    private ConfigChanges() {}

    static MapNode apply(MapNode tree, Map<String, Object> changes) {
        return apply(tree, tree, changes);
    }

    /**
     * Sets values in a tree.
     *
     * @param from the tree that {@link SameAs} refers to
     */
    static MapNode apply(MapNode tree, MapNode from, Map<String, Object> changes) {
        MapNode changed = tree;
        for (Map.Entry<String, Object> change : changes.entrySet()) {
            changed = Paths.with(changed, Paths.split(change.getKey()), node(from, change.getValue()));
        }
        return changed;
    }

    private static Node node(MapNode tree, Object value) {
        if (value instanceof SameAs same) {
            return Optional.ofNullable(Paths.get(tree, Paths.split(same.key())))
                    .orElseThrow(() -> new IllegalStateException("the configuration has no " + same.key()));
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
        throw new IllegalStateException("a configuration cannot contain " + value.getClass());
    }
}
