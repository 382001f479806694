package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;

/** How much of a serving simulation is written: section {@code output}. */
public record OutputSettings(
        @Key(
                        "What is written by default of single tokens and batches: full for a row each (token_metrics.csv,"
                                + " batch_metrics.csv), summary for their distributions (token_times.csv) and load_series.csv, auto"
                                + " for full up to output.full_up_to. What simulation.* asks for is written in any case. | auto")
                Detail detail,
        @Key(
                        "Maximum output tokens of a workload for which output.detail=auto writes a row each. | 1000000 | tokens | 0..1000000000000000000")
                @OnlyIf("detail = auto | it decides for output.detail=auto | leave out one of the two")
                long fullUpTo) {
    /** What is written of tokens and batches. */
    public enum Detail {
        AUTO, // Rows of a small run, distributions of a large one.
        FULL, // A row per token and per batch.
        SUMMARY // Distributions and time series.
    }
}
