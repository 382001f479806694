package dev.stagesim.io.trace;

import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * Which rows of a trace to keep.
 *
 * @param skip rows to pass over first
 * @param count rows to look at after those
 * @param share share of what is left to keep, each row by one draw; 1 keeps all and draws nothing
 * @param random source of those draws, uniform in [0, 1)
 * @param fromNs rows of an earlier time are left out
 * @param beforeNs rows of this time or later are left out
 * @param empty what becomes of rows without prompt or without output
 * @param inOrder whether a row that is earlier than the kept one before it is an error
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
    /** What becomes of rows with no prompt tokens or no output tokens. */
    public enum Empty {
        REFUSE,
        /** They are left out: failed requests. */
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
