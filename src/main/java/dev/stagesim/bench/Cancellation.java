package dev.stagesim.bench;

/**
 * When a client gives a request up; the first that is reached counts.
 *
 * @param chunks after this many output chunks, {@link Integer#MAX_VALUE} for not by chunks
 * @param afterNs this long after sending, {@link Long#MAX_VALUE} for not by time
 */
public record Cancellation(int chunks, long afterNs) {
    /** It is waited for to its end. */
    public static final Cancellation NEVER = new Cancellation(Integer.MAX_VALUE, Long.MAX_VALUE);
}
