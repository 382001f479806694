package dev.stagesim.predict;

import dev.stagesim.predict.linear.LinearModel;
import java.util.EnumMap;
import java.util.Map;

/** Operator times of fitted polynomials: attention is evaluated when asked, the rest is tabulated. */
final class LinearTimes implements OperatorTimes {
    private final Coverage coverage;
    private final double[][] tables = new double[Operator.values().length][];
    private final LinearModel prefill;
    private final LinearModel decode;
    private final double least;

    /**
     * Times in a range.
     *
     * @param least what smaller values are raised to, in ms
     */
    LinearTimes(
            Coverage coverage,
            Map<Operator, LinearModel> curves,
            LinearModel prefill,
            LinearModel decode,
            double least) {
        this.coverage = coverage;
        this.prefill = prefill;
        this.decode = decode;
        this.least = least;
        new EnumMap<>(curves).forEach((operator, model) -> tables[operator.ordinal()] = table(operator, model));
    }

    private double[] table(Operator operator, LinearModel model) {
        boolean tokens = operator.key() == Operator.Key.TOKENS;
        double[] table = new double[(tokens ? coverage.maxTokens() : coverage.maxBatch()) + 1];
        for (int i = 1; i < table.length; i++) {
            table[i] = Math.max(least, model.at(i, 0));
        }
        return table;
    }

    @Override
    public double milliseconds(Operator operator, int count) {
        double[] table = tables[operator.ordinal()];
        if (table == null) {
            throw NotCovered.missing(operator);
        }
        String key = operator.key() == Operator.Key.TOKENS ? "tokens" : "batch size";
        check(operator, key, count, 1, table.length - 1);
        return table[count];
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        check(Operator.ATTN_DECODE, "batch size", batch, 1, coverage.maxBatch());
        check(Operator.ATTN_DECODE, "KV length", kvTokens, 0, coverage.maxKvTokens());
        return Math.max(least, decode.at(batch, kvTokens));
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        check(Operator.ATTN_PREFILL, "chunk", chunkTokens, 1, coverage.maxChunkTokens());
        check(Operator.ATTN_PREFILL, "KV length", kvTokens, 0, coverage.maxKvTokens());
        return Math.max(least, prefill.at(kvTokens, (double) chunkTokens * chunkTokens));
    }

    private static void check(Operator operator, String key, int asked, int from, int to) {
        if (asked < from || asked > to) {
            throw NotCovered.beyond(operator, key, asked, from, to);
        }
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }
}
