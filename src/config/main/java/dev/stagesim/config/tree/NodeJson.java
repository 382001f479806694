package dev.stagesim.config.tree;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.ShortestDouble;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Map;

/** Converts configuration trees to JSON and back. */
public final class NodeJson {
    private NodeJson() {}

    public static JsonValue.Obj json(MapNode node) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        node.entries().forEach((name, value) -> members.put(name, json(value)));
        return new JsonValue.Obj(members);
    }

    public static JsonValue json(Node node) {
        if (node instanceof MapNode map) {
            return json(map);
        }
        if (node instanceof ListNode list) {
            return JsonValue.of(list.items().stream().map(NodeJson::json).toList());
        }
        ScalarNode leaf = (ScalarNode) node;
        Object value = leaf.value();
        if (value instanceof Boolean flag) {
            return JsonValue.of(flag);
        }
        if (value instanceof BigInteger number) {
            return number.bitLength() < Long.SIZE ? JsonValue.of(number.longValue()) : new JsonValue.Big(number);
        }
        if (value instanceof Double number) {
            // JSON has no infinities; the binder accepts these strings as numbers
            return Double.isFinite(number) ? JsonValue.of(number) : JsonValue.of(ShortestDouble.of(number));
        }
        return value == null ? JsonValue.NULL : JsonValue.of((String) value);
    }

    /** Returns the tree of a JSON object. The file is the origin of every value. */
    public static MapNode node(LocatedJson at) {
        return node(at.object(), at.source());
    }

    public static MapNode node(JsonValue.Obj object, String source) {
        return (MapNode) node(object, Origin.file(source, 0));
    }

    /** Returns the tree of a JSON value with {@code origin} as the origin of every value. */
    public static Node node(JsonValue value, Origin origin) {
        if (value instanceof JsonValue.Obj object) {
            Map<String, Node> entries = new LinkedHashMap<>();
            object.members().forEach((name, member) -> entries.put(name, node(member, origin)));
            return MapNode.of(entries, origin);
        }
        if (value instanceof JsonValue.Arr array) {
            return new ListNode(
                    array.items().stream().map(item -> node(item, origin)).toList(), origin);
        }
        if (value instanceof JsonValue.Str text) {
            return ScalarNode.of(text.value(), origin);
        }
        if (value instanceof JsonValue.Bool flag) {
            return ScalarNode.of(flag.value(), origin);
        }
        if (value instanceof JsonValue.Int number) {
            return ScalarNode.of(number.value(), origin);
        }
        if (value instanceof JsonValue.Big number) {
            return ScalarNode.of(number.value(), number.value().toString(), origin);
        }
        if (value instanceof JsonValue.Real number) {
            return ScalarNode.of(number.value(), ShortestDouble.of(number.value()), origin);
        }
        return ScalarNode.ofNull(origin);
    }
}
