package dev.stagesim.bench;

import java.util.Optional;

/**
 * Outcome of one request; times in ns since the start of the replay, -1 where it has none.
 *
 * @param id number of the request
 * @param label what the server was told it is called
 * @param intendedNs when it was to be sent
 * @param sentNs when it was sent; later when the client was busy or at its concurrency limit
 * @param endNs when its stream ended, however it ended
 * @param chunkNs when each chunk with output came
 * @param promptTokens prompt tokens as the server counts them; -1 when it does not say
 * @param outputTokens output tokens as the server counts them; -1 when it does not say
 * @param cancelled whether the client gave it up, as planned
 * @param error why it failed; empty when it did not
 */
public record Outcome(
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
    /** The same, so much later; what has no time still has none. */
    public Outcome later(long ns) {
        long[] chunks = new long[chunkNs.length];
        for (int i = 0; i < chunks.length; i++) {
            chunks[i] = chunkNs[i] + ns;
        }
        return new Outcome(
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

    /** How long it waited in the client. */
    public long delayNs() {
        return sentNs < 0 ? 0 : sentNs - intendedNs;
    }
}
