package dev.stagesim.config.grammar;

import java.util.Set;

/** A value that stands for several: each gives a job of its own. */
public sealed interface Sweep extends Value permits ChoiceSweep, RangeSweep, IntervalSweep, GlobSweep, ZipSweep {
    /** Labels for sweepers, in the order written. */
    Set<String> tags();
}
