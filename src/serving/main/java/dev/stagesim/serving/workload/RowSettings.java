package dev.stagesim.serving.workload;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Selection of the rows of a workload file; each key filters the rows that the preceding ones selected. */
public record RowSettings(
        @Key("Rows to skip after the header. | 0 | 0..1000000000000000000") long skip,
        @Key("Rows to read after the skipped ones; null for all. | null | 1..1000000000000000000") Optional<Long> count,
        @Key("Model whose rows are kept (BurstGPT); null for all. | null") Optional<String> model,
        @Key("Share of the rows to keep, drawn with workload.seed in the order of the file; null for all. | "
                        + "null | 0.000001..1")
                Optional<Double> sample,
        @Key("Handling of rows without prompt or output tokens (failed requests). | error") EmptyRows empty,
        @Key("Handling of recorded arrivals that are not in time order. | error")
                @OnlyIf(
                        "arrival.kind = trace | arrivals are not read from a file | leave it out, or set arrival.kind = "
                                + "trace")
                UnsortedRows unsorted) {
    /** All rows. */
    public static final RowSettings ALL = new RowSettings(
            0, Optional.empty(), Optional.empty(), Optional.empty(), EmptyRows.ERROR, UnsortedRows.ERROR);

    /** Explicit, because the first call of a record's generated method takes long at startup. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RowSettings that
                && that.skip == skip
                && that.count.equals(count)
                && that.model.equals(model)
                && that.sample.equals(sample)
                && that.empty == empty
                && that.unsorted == unsorted;
    }

    @Override
    public int hashCode() {
        return Objects.hash(skip, count, model, sample, empty, unsorted);
    }
}
