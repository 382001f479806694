package dev.stagesim.config.compose;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Compares and formats values. */
final class ValueText {
    private ValueText() {}

    /** Returns a short one-line form for messages. */
    static String shown(Node node) {
        return node.inline(ScalarNode::text, key -> key);
    }

    /** Returns true if two trees contain the same values. Origins and notation are ignored: 1 equals 1.0. */
    static boolean same(Node a, Node b) {
        if (a instanceof ScalarNode x && b instanceof ScalarNode y) {
            BigDecimal first = number(x);
            BigDecimal second = number(y);
            if (first != null && second != null) {
                return first.compareTo(second) == 0;
            }
            return (x.kind() == y.kind()) && Objects.equals(x.value(), y.value());
        }
        if (a instanceof ListNode x && b instanceof ListNode y) {
            boolean same = x.items().size() == y.items().size();
            for (int i = 0; same && i < x.items().size(); i++) {
                same = same(x.items().get(i), y.items().get(i));
            }
            return same;
        }
        if (a instanceof MapNode x && b instanceof MapNode y) {
            return x.keys().equals(y.keys())
                    && x.entries().entrySet().stream()
                            .allMatch(entry -> same(entry.getValue(), Objects.requireNonNull(y.get(entry.getKey()))));
        }
        return false;
    }

    private static @Nullable BigDecimal number(ScalarNode leaf) {
        if (leaf.value() instanceof BigInteger integer) {
            return new BigDecimal(integer);
        }
        return leaf.value() instanceof Double real && Double.isFinite(real) ? new BigDecimal(real) : null;
    }
}
