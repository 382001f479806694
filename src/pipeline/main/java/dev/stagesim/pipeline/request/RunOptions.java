package dev.stagesim.pipeline.request;

import dev.stagesim.contract.TableFormat;
import java.util.Optional;

/**
 * Options of a run launch. They do not change results.
 *
 * @param force repeat the named stage even if its run is finished; upstream runs are still reused
 * @param repeat number of the repetition of a measurement, from 0; part of the id of measuring stages, and an error if
 *     the chain measures nothing; empty for the first
 * @param format format of the tables of the named stage's run; part of the id unless it is CSV
 */
public record RunOptions(boolean force, Optional<Integer> repeat, TableFormat format) {
    public static final RunOptions DEFAULT = new RunOptions(false, Optional.empty());

    public RunOptions {
        if (repeat.isPresent() && repeat.get() < 0) {
            throw new IllegalArgumentException("repeat " + repeat.get());
        }
    }

    public RunOptions(boolean force, Optional<Integer> repeat) {
        this(force, repeat, TableFormat.CSV);
    }

    public int repetition() {
        return repeat.orElse(0);
    }

    /**
     * Returns the options of a run that is made as an input.
     *
     * @param more added to the number of the repetition
     */
    public RunOptions ofInput(int more) {
        return new RunOptions(force, more == 0 ? repeat : Optional.of(repetition() + more));
    }
}
