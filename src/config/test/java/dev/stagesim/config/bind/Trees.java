package dev.stagesim.config.bind;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Builds configuration trees for tests from plain Java values. */
public final class Trees {
    /** A null, as written in a file. */
    public static final ScalarNode NULL = ScalarNode.ofNull(Origin.file("configs/test.conf", 1));

    private Trees() {}

    public static MapNode map(Object... keysAndValues) {
        Map<String, Node> entries = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            entries.put((String) keysAndValues[i], node(keysAndValues[i + 1]));
        }
        return MapNode.of(entries, file(1));
    }

    public static Node node(Object value) {
        if (value instanceof Node node) {
            return node;
        }
        if (value instanceof List<?> list) {
            List<Node> items = new ArrayList<>();
            list.forEach(item -> items.add(node(item)));
            return new ListNode(items, file(1));
        }
        if (value instanceof Boolean flag) {
            return ScalarNode.of(flag, file(1));
        }
        if (value instanceof Double number) {
            return ScalarNode.of(number, number.toString(), file(1));
        }
        return value instanceof Number number
                ? ScalarNode.of(number.longValue(), file(1))
                : ScalarNode.of((String) value, file(1));
    }

    /** Returns the value of an existing key. */
    public static Node at(MapNode map, String key) {
        return Objects.requireNonNull(map.get(key), key);
    }

    /** Returns the map at an existing key. */
    public static MapNode section(MapNode map, String key) {
        return (MapNode) at(map, key);
    }

    /** Returns the leaf at an existing key. */
    public static ScalarNode leaf(MapNode map, String key) {
        return (ScalarNode) at(map, key);
    }

    public static Origin file(int line) {
        return Origin.file("configs/test.conf", line);
    }
}
