package dev.stagesim.bench;

/**
 * Condition under which a client cancels a request. The limit that is reached first applies.
 *
 * @param chunks number of output chunks, or {@link Integer#MAX_VALUE} for no limit
 * @param afterNs time since sending, or {@link Long#MAX_VALUE} for no limit
 */
public record Cancellation(int chunks, long afterNs) {
    /** Never cancels. */
    public static final Cancellation NEVER = new Cancellation(Integer.MAX_VALUE, Long.MAX_VALUE);
}
