package dev.stagesim.feature.pytorch.link;

/**
 * Profiler record of a synchronisation.
 *
 * @param kind kind of wait
 * @param stream stream that waits or is awaited; negative if unknown
 * @param awaitedStream stream that recorded the awaited event; negative if unknown
 * @param recordCorrelation correlation id of the call that recorded the awaited event; negative if unknown
 */
public record SyncFacts(Kind kind, long stream, long awaitedStream, long recordCorrelation) {
    /** Waiting side and awaited side of a synchronisation. */
    public enum Kind {
        /** The host waits for a stream. */
        STREAM("Stream Sync"),
        /** The host waits for all streams. */
        CONTEXT("Context Sync"),
        /** The host waits for a recorded event. */
        EVENT("Event Sync"),
        /** A stream waits for an event recorded on another stream. */
        STREAM_WAIT("Stream Wait Event");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        /** Name in the profiler's trace. */
        public String label() {
            return label;
        }
    }
}
