package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.util.Optional;

/** Which rows of a workload file to use; every part narrows what the one before left. */
public record RowSettings(
        @Key("Rows to skip at the start, not counting the header. | 0 | 0..") long skip,
        @Key("Rows to look at after those; null for all. | null | 1..") Optional<Long> count,
        @Key("Keep only rows of this model (BurstGPT). | null") Optional<String> model,
        @Key("Share of the rows to keep, drawn with workload.seed, order kept; null for all. | null | >0..1")
                Optional<Double> sample,
        @Key("Rows without prompt or output tokens: an error, or left out (failed requests). | error") EmptyRows empty,
        @Key("Recorded arrivals that are not in order of time: an error, or sorted. | error")
                @OnlyIf(
                        "arrival.kind = trace | no recorded arrivals are read | leave it out, or set arrival.kind = trace")
                UnsortedRows unsorted) {
    /** Every row. */
    public static final RowSettings ALL = new RowSettings(
            0, Optional.empty(), Optional.empty(), Optional.empty(), EmptyRows.ERROR, UnsortedRows.ERROR);

    /** Whether every row is used, and as it is. */
    public boolean areAll() {
        return skip == 0
                && count.isEmpty()
                && model.isEmpty()
                && sample.isEmpty()
                && empty == EmptyRows.ERROR
                && unsorted == UnsortedRows.ERROR;
    }
}
