package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which rows of a workload file to use; every part narrows what the one before left. */
public record RowSettings(
        @Key("Rows to skip at the start, not counting the header. | 0 | 0..1000000000000000000") long skip,
        @Key("Rows to look at after those; null for all. | null | 1..1000000000000000000") Optional<Long> count,
        @Key("Keep only rows of this model (BurstGPT). | null") Optional<String> model,
        @Key("Share of the rows to keep, drawn with workload.seed, order kept; null for all. | null | 0.000001..1")
                Optional<Double> sample,
        @Key("Rows without prompt or output tokens: an error, or left out (failed requests). | error") EmptyRows empty,
        @Key("Recorded arrivals that are not in order of time: an error, or sorted. | error")
                @OnlyIf(
                        "arrival.kind = trace | no recorded arrivals are read | leave it out, or set arrival.kind = trace")
                UnsortedRows unsorted) {
    /** Every row. */
    public static final RowSettings ALL = new RowSettings(
            0, Optional.empty(), Optional.empty(), Optional.empty(), EmptyRows.ERROR, UnsortedRows.ERROR);

    /** Spelled out, as in other records that commands compare: what a record makes for it at run time takes long. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RowSettings its
                && its.skip == skip
                && its.count.equals(count)
                && its.model.equals(model)
                && its.sample.equals(sample)
                && its.empty == empty
                && its.unsorted == unsorted;
    }

    @Override
    public int hashCode() {
        return Objects.hash(skip, count, model, sample, empty, unsorted);
    }
}
