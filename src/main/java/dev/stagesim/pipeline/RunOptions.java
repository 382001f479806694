package dev.stagesim.pipeline;

import java.util.Optional;

/**
 * How a run is launched; takes no part in results.
 *
 * @param force do the named stage again although its run is finished; upstream runs are still reused
 * @param repeat number of the repetition of a measurement, from 0; part of the id of measuring stages, and an error where
 *     nothing is measured; empty for the first
 */
public record RunOptions(boolean force, Optional<Integer> repeat) {
    public static final RunOptions DEFAULT = new RunOptions(false, Optional.empty());

    public RunOptions {
        if (repeat.isPresent() && repeat.get() < 0) {
            throw new IllegalArgumentException("repeat " + repeat.get());
        }
    }

    int repetition() {
        return repeat.orElse(0);
    }

    /** The same for a repetition that many further on. */
    RunOptions further(int more) {
        return more == 0 ? this : new RunOptions(force, Optional.of(repetition() + more));
    }
}
