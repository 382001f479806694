package dev.stagesim.pipeline.request;

import dev.stagesim.contract.TableFormat;
import java.util.Optional;

/**
 * Options of a run launch. They do not change results.
 *
 * @param force repeat the named stage even if its run is finished; upstream runs are still reused
 * @param repeat repetition of a measurement, from 0; empty means 0. It is part of the id of measuring stages. If no stage
 *     of the chain measures, it is an error.
 * @param format format of the tables that the named stage writes; part of the id unless it is CSV
 */
public record RunOptions(boolean force, Optional<Integer> repeat, TableFormat format) {
    public static final RunOptions DEFAULT = new RunOptions(false, Optional.empty());

    public RunOptions {
        if (repeat.isPresent() && repeat.get() < 0) {
            throw new IllegalArgumentException("repeat must be at least 0, got " + repeat.get());
        }
    }

    public RunOptions(boolean force, Optional<Integer> repeat) {
        this(force, repeat, TableFormat.CSV);
    }

    public int repetition() {
        return repeat.orElse(0);
    }

    /**
     * Returns the options for an upstream run.
     *
     * @param offset number that is added to the repetition
     */
    public RunOptions ofUpstream(int offset) {
        return new RunOptions(force, offset == 0 ? repeat : Optional.of(repetition() + offset));
    }
}
