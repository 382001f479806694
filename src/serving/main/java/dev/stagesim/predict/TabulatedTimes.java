package dev.stagesim.predict;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/** Times within a range of keys, with tables for operators keyed by one number. */
abstract class TabulatedTimes implements OperatorTimes {
    private final Coverage coverage;
    private final double[][] tables = new double[Operator.values().length][];

    /** Tabulates each operator for every count in range. */
    TabulatedTimes(Coverage coverage, Map<Operator, IntToDoubleFunction> curves) {
        this.coverage = coverage;
        new EnumMap<>(curves).forEach((operator, curve) -> {
            boolean tokens = operator.key() == Operator.Key.TOKENS;
            double[] table = new double[(tokens ? coverage.maxTokens() : coverage.maxBatch()) + 1];
            for (int i = 1; i < table.length; i++) {
                table[i] = curve.applyAsDouble(i);
            }
            tables[operator.ordinal()] = table;
        });
    }

    /** Time of decode attention at keys in range. */
    abstract double decode(int batch, int kvTokens);

    /** Time of prefill attention at keys in range. */
    abstract double prefill(int kvTokens, int chunkTokens);

    @Override
    public final double milliseconds(Operator operator, int count) {
        double[] table = tables[operator.ordinal()];
        if (table == null) {
            throw NotCovered.missing(operator);
        }
        String key = operator.key() == Operator.Key.TOKENS ? "tokens" : "batch size";
        check(operator, key, count, 1, table.length - 1);
        return table[count];
    }

    @Override
    public final double decodeMilliseconds(int batch, int kvTokens) {
        check(Operator.ATTN_DECODE, "batch size", batch, 1, coverage.maxBatch());
        check(Operator.ATTN_DECODE, "KV length", kvTokens, 0, coverage.maxKvTokens());
        return decode(batch, kvTokens);
    }

    @Override
    public final double prefillMilliseconds(int kvTokens, int chunkTokens) {
        check(Operator.ATTN_PREFILL, "chunk", chunkTokens, 1, coverage.maxChunkTokens());
        check(Operator.ATTN_PREFILL, "KV length", kvTokens, 0, coverage.maxKvTokens());
        return prefill(kvTokens, chunkTokens);
    }

    private static void check(Operator operator, String key, int requested, int from, int to) {
        if (requested < from || requested > to) {
            throw NotCovered.beyond(operator, key, requested, from, to);
        }
    }

    @Override
    public final Coverage coverage() {
        return coverage;
    }
}
