package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.grammar.Syntax;
import dev.stagesim.config.grammar.Value;
import dev.stagesim.config.grammar.ValueNodes;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Builds maps from parsed pairs. Of equal keys, the last value replaces the first at its position. */
final class MapBuilder {
    private MapBuilder() {}

    static Datum of(Syntax.Pairs pairs, Dialect dialect, Function<Syntax, Datum> evaluate) {
        Map<Object, Datum.Entry> entries = new LinkedHashMap<>();
        for (Syntax.Pair pair : pairs.pairs()) {
            ScalarNode typed = scalar(pair.key());
            ScalarNode key = dialect.hasTextKeys() ? ScalarNode.of(typed.text(), Origin.UNKNOWN) : typed;
            Datum value = evaluate.apply(pair.value());
            Object identity = Value.Dict.identity(dialect.hasTextKeys() ? new Value.Text(key.text()) : pair.key());
            entries.merge(identity, new Datum.Entry(key, value), (first, later) -> new Datum.Entry(first.key(), value));
        }
        return new Datum.Table(List.copyOf(entries.values()));
    }

    /** Returns a scalar, with words such as {@code TRUE} in lower case. */
    static ScalarNode scalar(Value.Scalar written) {
        if (written instanceof Value.Bool flag) {
            return ScalarNode.of(flag.value(), Origin.UNKNOWN);
        }
        return written instanceof Value.Null
                ? ScalarNode.ofNull(Origin.UNKNOWN)
                : (ScalarNode) ValueNodes.toNode(written, Origin.UNKNOWN);
    }
}
