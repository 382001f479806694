package dev.stagesim.feature.pytorch.trace;

/**
 * What the profiler noted about a synchronisation.
 *
 * @param kind what waits
 * @param stream stream that waits, or is waited for; negative when unknown
 * @param awaitedStream stream on which the awaited event was recorded; negative when unknown
 * @param recordCorrelation correlation of the call that recorded the awaited event; negative when unknown
 */
public record SyncFacts(Kind kind, long stream, long awaitedStream, long recordCorrelation) {
    /** What a synchronisation makes wait, and for what. */
    public enum Kind {
        /** The host, for a stream. */
        STREAM("Stream Sync"),
        /** The host, for all streams. */
        CONTEXT("Context Sync"),
        /** The host, for a recorded event. */
        EVENT("Event Sync"),
        /** A stream, for an event recorded on another one. */
        STREAM_WAIT("Stream Wait Event");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** How the profiler spells it. */
        public String label() {
            return label;
        }
    }
}
