package dev.stagesim.config.sweep;

import dev.stagesim.config.grammar.Dialect;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Options of a sweep expansion.
 *
 * @param dialect the dialect of the overrides
 * @param seed seed of shuffled dimensions
 * @param maxBatchSize maximum number of jobs per batch; empty for one batch
 * @param groupOptions returns the options of a group, sorted; empty if the group does not exist
 */
public record SweepOptions(
        Dialect dialect, long seed, OptionalInt maxBatchSize, Function<String, List<String>> groupOptions) {
    /** Returns options with the stage dialect, seed 0 and one batch. */
    public static SweepOptions of(Function<String, List<String>> groupOptions) {
        return new SweepOptions(Dialect.STAGE, 0, OptionalInt.empty(), groupOptions);
    }

    public SweepOptions withDialect(Dialect other) {
        return new SweepOptions(other, seed, maxBatchSize, groupOptions);
    }

    public SweepOptions withMaxBatchSize(int jobs) {
        return new SweepOptions(dialect, seed, OptionalInt.of(jobs), groupOptions);
    }
}
