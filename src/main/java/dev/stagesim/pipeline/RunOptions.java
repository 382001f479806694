package dev.stagesim.pipeline;

/**
 * How a run is launched; takes no part in results.
 *
 * @param force do the named stage again although its run is finished; upstream runs are still reused
 * @param repeat number of the repetition of a measurement, from 0; part of the id of measuring stages
 */
public record RunOptions(boolean force, int repeat) {
    public static final RunOptions DEFAULT = new RunOptions(false, 0);

    public RunOptions {
        if (repeat < 0) {
            throw new IllegalArgumentException("repeat " + repeat);
        }
    }
}
