package dev.stagesim.sim.network;

/**
 * A send and a receive that did not find each other.
 *
 * @param kind which of the two is there
 * @param bytes size of each
 * @param count how many alike
 */
public record Unmatched(Kind kind, int source, int destination, long bytes, int tag, int count) {
    /** The half that exists. */
    public enum Kind {
        /** Messages that arrived and were never asked for. */
        ARRIVED,
        /** Receives whose message never arrived. */
        AWAITED
    }
}
