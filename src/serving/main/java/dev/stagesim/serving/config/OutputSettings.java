package dev.stagesim.serving.config;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;

/** Level of detail of a serving simulation's files: section {@code output}. */
public record OutputSettings(
        @Key("Default detail of tokens and batches: full for a row per token and batch (token_metrics.csv, "
                        + "batch_metrics.csv), summary for distributions (token_times.csv) and load_series.csv, auto for "
                        + "full up to output.full_up_to tokens. Files that keys of simulation enable are always written. | "
                        + "auto")
                Detail detail,
        @Key("Maximum output tokens of a workload for which output.detail=auto means full. | 1000000 | tokens "
                        + "| 0..1000000000000000000")
                @OnlyIf("detail = auto | it applies to output.detail=auto only | leave out one of the two")
                long fullUpTo) {
    /** Level of detail of tokens and batches. */
    public enum Detail {
        AUTO, // Full for small runs, summary for large ones.
        FULL, // A row per token and per batch.
        SUMMARY // Distributions and time series.
    }
}
