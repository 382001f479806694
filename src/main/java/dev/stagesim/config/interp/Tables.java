package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Builds maps from written pairs; of equal keys the last value wins at the first one's place. */
final class Tables {
    private Tables() {}

    static Datum of(Expr.Pairs pairs, Dialect dialect, Function<Expr, Datum> evaluate) {
        Map<Object, Datum.Entry> entries = new LinkedHashMap<>();
        for (Expr.Pair pair : pairs.pairs()) {
            ScalarNode key = dialect == Dialect.HYDRA
                    ? pair.key()
                    : ScalarNode.of(pair.key().text(), Origin.UNKNOWN);
            Object identity = identity(key);
            Datum.Entry first = entries.get(identity);
            Datum value = evaluate.apply(pair.value());
            entries.put(identity, new Datum.Entry(first == null ? key : first.key(), value));
        }
        return new Datum.Table(List.copyOf(entries.values()));
    }

    /** Keys that Python's dict takes for one: {@code 1}, {@code 1.0} and {@code true}. */
    private static Object identity(ScalarNode key) {
        Object value = key.value();
        if (value instanceof Boolean flag) {
            return BigDecimal.valueOf(flag ? 1 : 0).stripTrailingZeros();
        }
        if (value instanceof BigInteger number) {
            return new BigDecimal(number).stripTrailingZeros();
        }
        if (value instanceof Double number && !number.isNaN() && !number.isInfinite()) {
            return new BigDecimal(number).stripTrailingZeros();
        }
        return key.kind() == ScalarNode.Kind.NULL ? Datum.class : String.valueOf(value);
    }
}
