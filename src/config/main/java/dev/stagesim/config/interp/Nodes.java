package dev.stagesim.config.interp;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.LinkedHashMap;
import java.util.Map;

/** Converts values to nodes. */
final class Nodes {
    private Nodes() {}

    /** Returns a node as if written in a file: sections keep their interpolations, and map keys are text. */
    static Node raw(Datum value) {
        return raw(value, Origin.UNKNOWN);
    }

    /** Returns a plain value as a node. Scalars and lists that an expression creates get the origin of the expression. */
    static Node raw(Datum value, Origin origin) {
        if (value instanceof Datum.Atom atom) {
            ScalarNode scalar = atom.scalar();
            return scalar.origin().equals(Origin.UNKNOWN)
                    ? new ScalarNode(scalar.kind(), scalar.value(), scalar.text(), origin, null)
                    : scalar;
        }
        if (value instanceof Datum.Sequence list) {
            Origin own = list.origin().equals(Origin.UNKNOWN) ? origin : list.origin();
            return new ListNode(
                    list.items().stream().map(item -> raw(item, own)).toList(), own);
        }
        if (value instanceof Datum.Table table) {
            Map<String, Node> entries = new LinkedHashMap<>();
            table.entries().forEach(entry -> entries.put(entry.key().text(), raw(entry.value(), origin)));
            return MapNode.of(entries, origin);
        }
        return ((Datum.Section) value).raw();
    }
}
