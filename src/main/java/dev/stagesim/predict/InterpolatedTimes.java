package dev.stagesim.predict;

import java.util.EnumMap;
import java.util.Map;

/** Operator times looked up in dense tables; every answer is a range check and a few array reads. */
final class InterpolatedTimes implements OperatorTimes {
    private final Coverage coverage;
    private final double[][] tables;
    private final Lines prefill;
    private final Lines decode;

    InterpolatedTimes(Coverage coverage, Map<Operator, double[]> tables, Lines prefill, Lines decode) {
        this.coverage = coverage;
        this.tables = new double[Operator.values().length][];
        new EnumMap<>(tables).forEach((operator, table) -> this.tables[operator.ordinal()] = table);
        this.prefill = prefill;
        this.decode = decode;
    }

    @Override
    public double milliseconds(Operator operator, int count) {
        double[] table = tables[operator.ordinal()];
        if (table == null) {
            throw NotCovered.missing(operator);
        }
        if (count < 1 || count >= table.length) {
            throw NotCovered.beyond(
                    operator,
                    operator.key() == Operator.Key.TOKENS ? "tokens" : "batch size",
                    count,
                    1,
                    table.length - 1);
        }
        return table[count];
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        if (batch < 1 || batch > coverage.maxBatch()) {
            throw NotCovered.beyond(Operator.ATTN_DECODE, "batch size", batch, 1, coverage.maxBatch());
        }
        if (kvTokens < 0 || kvTokens > coverage.maxKvTokens()) {
            throw NotCovered.beyond(Operator.ATTN_DECODE, "KV length", kvTokens, 0, coverage.maxKvTokens());
        }
        return decode.at(kvTokens, batch);
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        if (chunkTokens < 1 || chunkTokens > coverage.maxChunkTokens()) {
            throw NotCovered.beyond(Operator.ATTN_PREFILL, "chunk", chunkTokens, 1, coverage.maxChunkTokens());
        }
        if (kvTokens < 0 || kvTokens > coverage.maxKvTokens()) {
            throw NotCovered.beyond(Operator.ATTN_PREFILL, "KV length", kvTokens, 0, coverage.maxKvTokens());
        }
        return prefill.at(kvTokens, chunkTokens);
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }
}
