package dev.stagesim.pipeline;

import dev.stagesim.contract.TableFormat;
import java.util.Optional;

/**
 * How a run is launched; takes no part in results.
 *
 * @param force do the named stage again although its run is finished; upstream runs are still reused
 * @param repeat number of the repetition of a measurement, from 0; part of the id of measuring stages, and an error where
 *     nothing is measured; empty for the first
 * @param format how the tables of the named stage's run are written; part of the id unless it is CSV
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

    int repetition() {
        return repeat.orElse(0);
    }

    /** For a run that is made as an input, whose repetition is that many further on; its tables are shared by others. */
    RunOptions ofInput(int more) {
        return new RunOptions(force, more == 0 ? repeat : Optional.of(repetition() + more));
    }
}
