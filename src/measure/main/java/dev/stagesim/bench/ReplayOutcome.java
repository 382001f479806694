package dev.stagesim.bench;

import java.util.Optional;

/**
 * The outcome of one request. Times are in ns since the start of the replay, or -1 if absent.
 *
 * @param id number of the request
 * @param label id of the request in its header
 * @param intendedNs planned send time
 * @param sentNs actual send time; later if the client was busy or at its concurrency limit
 * @param endNs end of the stream
 * @param chunkNs arrival time of each chunk with output
 * @param promptTokens prompt tokens reported by the server, or -1 if absent
 * @param outputTokens output tokens reported by the server, or -1 if absent
 * @param cancelled true if the client cancelled the request as planned
 * @param error error; empty if the request succeeded
 */
public record ReplayOutcome(
        long id,
        String label,
        long intendedNs,
        long sentNs,
        long endNs,
        long[] chunkNs,
        long promptTokens,
        long outputTokens,
        boolean cancelled,
        Optional<String> error) {
    /** Returns a copy with all times shifted by {@code ns}. Absent times stay absent. */
    public ReplayOutcome later(long ns) {
        long[] chunks = new long[chunkNs.length];
        for (int i = 0; i < chunks.length; i++) {
            chunks[i] = chunkNs[i] + ns;
        }
        return new ReplayOutcome(
                id,
                label,
                intendedNs + ns,
                sentNs < 0 ? sentNs : sentNs + ns,
                endNs + ns,
                chunks,
                promptTokens,
                outputTokens,
                cancelled,
                error);
    }

    /** Returns the waiting time in the client. */
    public long delayNs() {
        return sentNs < 0 ? 0 : sentNs - intendedNs;
    }
}
