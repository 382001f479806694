package dev.stagesim.sim.network;

/**
 * Sends without a matching receive, or receives without a matching send.
 *
 * @param kind which of the two exists
 * @param bytes size of each
 * @param count number of identical ones
 */
public record Unmatched(Kind kind, int source, int destination, long bytes, int tag, int count) {
    /** The side that exists. */
    public enum Kind {
        /** Messages that arrived without a receive. */
        ARRIVED,
        /** Receives without an arrived message. */
        AWAITED
    }
}
