package dev.stagesim.predict;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
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
            throw absent(operator);
        }
        if (count < 1 || count >= table.length) {
            throw beyond(
                    operator,
                    operator.key() == Operator.Key.TOKENS ? "tokens" : "requests",
                    count,
                    1,
                    table.length - 1);
        }
        return table[count];
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        if (batch < 1 || batch > coverage.maxBatch()) {
            throw beyond(Operator.ATTN_DECODE, "requests", batch, 1, coverage.maxBatch());
        }
        if (kvTokens < 0 || kvTokens > coverage.maxKvTokens()) {
            throw beyond(Operator.ATTN_DECODE, "KV tokens", kvTokens, 0, coverage.maxKvTokens());
        }
        return decode.at(kvTokens, batch);
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        if (chunkTokens < 1 || chunkTokens > coverage.maxChunkTokens()) {
            throw beyond(Operator.ATTN_PREFILL, "chunk tokens", chunkTokens, 1, coverage.maxChunkTokens());
        }
        if (kvTokens < 0 || kvTokens > coverage.maxKvTokens()) {
            throw beyond(Operator.ATTN_PREFILL, "KV tokens", kvTokens, 0, coverage.maxKvTokens());
        }
        return prefill.at(kvTokens, chunkTokens);
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }

    private static StageException beyond(Operator operator, String what, int asked, int least, int most) {
        return StageException.input(Problem.of(
                        "prediction error",
                        operator.column(),
                        asked + " " + what + " asked for, expected " + least + " to " + most)
                .hint("profile larger sizes (profile.grid), limit the batch in the scheduler, or set"
                        + " predictor.range and predictor.extrapolation=linear"));
    }

    private static StageException absent(Operator operator) {
        return StageException.input(Problem.of(
                "prediction error", operator.column(), "the bundle was read without times of this operator"));
    }
}
