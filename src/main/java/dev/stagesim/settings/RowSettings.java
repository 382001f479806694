package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.Optional;

/** Which rows of a workload file to use; every part narrows what the one before left. */
public record RowSettings(
        @Key(doc = "Rows to skip at the start, not counting the header.", def = "0", min = "0") long skip,
        @Key(doc = "Rows to look at after those; null for all.", def = "null", min = "1") Optional<Long> count,
        @Key(doc = "Keep only rows of this model (BurstGPT).", def = "null") Optional<String> model,
        @Key(
                        doc = "Share of the rows to keep, drawn with workload.seed, order kept; null for all.",
                        def = "null",
                        min = "0",
                        max = "1",
                        above = true)
                Optional<Double> sample,
        @Key(doc = "Rows without prompt or output tokens: an error, or left out (failed requests).", def = "error")
                EmptyRows empty,
        @Key(doc = "Recorded arrivals that are not in order of time: an error, or sorted.", def = "error")
                UnsortedRows unsorted) {
    /** Every row. */
    public static final RowSettings ALL = new RowSettings(
            0, Optional.empty(), Optional.empty(), Optional.empty(), EmptyRows.ERROR, UnsortedRows.ERROR);
}
