package dev.stagesim.io.trace;

import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * Selects rows of a trace.
 *
 * @param skip number of leading rows to skip
 * @param count number of rows to examine after the skipped rows
 * @param share share of the remaining rows to keep, with one draw per row; 1 keeps all rows and draws nothing
 * @param random source of the draws, uniform in [0, 1)
 * @param fromNs rows before this time are dropped
 * @param beforeNs rows at or after this time are dropped
 * @param empty treatment of rows without prompt or output
 * @param inOrder true if a row that is earlier than the previously kept row is an error
 */
public record RowFilter(
        long skip,
        long count,
        Optional<String> model,
        double share,
        DoubleSupplier random,
        long fromNs,
        long beforeNs,
        Empty empty,
        boolean inOrder) {
    /** Treatment of rows without prompt tokens or output tokens. */
    public enum Empty {
        REFUSE,
        /** The rows are dropped as failed requests. */
        DROP,
        KEEP
    }

    public static RowFilter all(DoubleSupplier random) {
        return new RowFilter(
                0, Long.MAX_VALUE, Optional.empty(), 1, random, Long.MIN_VALUE, Long.MAX_VALUE, Empty.DROP, false);
    }

    public RowFilter window(long newFromNs, long newBeforeNs) {
        return new RowFilter(skip, count, model, share, random, newFromNs, newBeforeNs, empty, inOrder);
    }

    /** Returns this filter with another rule for rows without prompt or output. */
    public RowFilter empty(Empty rule) {
        return new RowFilter(skip, count, model, share, random, fromNs, beforeNs, rule, inOrder);
    }

    /** Returns this filter with another rule for rows that are not in order of time. */
    public RowFilter inOrder(boolean rule) {
        return new RowFilter(skip, count, model, share, random, fromNs, beforeNs, empty, rule);
    }
}
