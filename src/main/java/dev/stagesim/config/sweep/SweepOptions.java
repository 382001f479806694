package dev.stagesim.config.sweep;

import dev.stagesim.config.grammar.Dialect;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * How to expand a sweep.
 *
 * @param dialect whose rules apply
 * @param seed seed of shuffled dimensions
 * @param maxBatchSize most jobs per batch; empty for one batch
 * @param groupOptions the options of a group, sorted; empty when there is no such group
 */
public record SweepOptions(
        Dialect dialect, long seed, OptionalInt maxBatchSize, Function<String, List<String>> groupOptions) {
    /** Our rules, seed 0, one batch. */
    public static SweepOptions of(Function<String, List<String>> groupOptions) {
        return new SweepOptions(Dialect.STAGE, 0, OptionalInt.empty(), groupOptions);
    }

    public SweepOptions withDialect(Dialect other) {
        return new SweepOptions(other, seed, maxBatchSize, groupOptions);
    }

    public SweepOptions withMaxBatchSize(int most) {
        return new SweepOptions(dialect, seed, OptionalInt.of(most), groupOptions);
    }
}
