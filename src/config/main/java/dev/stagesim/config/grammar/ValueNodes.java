package dev.stagesim.config.grammar;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Converts parsed values to nodes of the configuration tree. */
public final class ValueNodes {
    private ValueNodes() {}

    /**
     * Converts {@code value}. Map keys become text.
     *
     * @throws StageException if the value is or contains a sweep, which has no single value
     */
    public static Node toNode(Value value, Origin origin) {
        if (value instanceof Value.Scalar scalar) {
            return scalar(scalar, origin);
        }
        if (value instanceof Value.Items list) {
            return new ListNode(
                    list.items().stream().map(item -> toNode(item, origin)).toList(), origin);
        }
        if (value instanceof Value.Dict dict) {
            Map<String, Node> entries = new LinkedHashMap<>();
            for (Value.Dict.Entry entry : dict.entries()) {
                entries.put(entry.key().text(), toNode(entry.value(), origin));
            }
            return MapNode.of(entries, origin);
        }
        throw StageException.input(
                Problem.of("override error", origin.describe(), "a sweep has no single value and cannot be stored")
                        .hint("sweep over the whole list or map: key=choice([1,2],[3,4])"));
    }

    private static Node scalar(Value.Scalar scalar, Origin origin) {
        if (scalar instanceof Value.Null) {
            return new ScalarNode(ScalarNode.Kind.NULL, null, scalar.text(), origin, null);
        }
        if (scalar instanceof Value.Bool bool) {
            return new ScalarNode(ScalarNode.Kind.BOOL, bool.value(), bool.text(), origin, null);
        }
        if (scalar instanceof Value.Int integer) {
            return ScalarNode.of(integer.value(), integer.text(), origin);
        }
        if (scalar instanceof Value.Real real) {
            return ScalarNode.of(real.value(), real.text(), origin);
        }
        return ScalarNode.of(scalar.text(), origin);
    }
}
