package dev.stagesim.sim.workload;

/**
 * Effect of a length limit on a workload.
 *
 * @param requests requests with a shortened prompt or output
 * @param promptTokens removed prompt tokens
 * @param outputTokens removed output tokens
 * @param dropped requests that were omitted or redrawn
 */
public record Truncation(long requests, long promptTokens, long outputTokens, long dropped) {
    /** No request was changed. */
    public static final Truncation NONE = new Truncation(0, 0, 0, 0);

    public boolean isNone() {
        return equals(NONE);
    }

    /** Returns the sum with one more request; unchanged requests do not count. */
    public Truncation with(long lostPrompt, long lostOutput) {
        return lostPrompt <= 0 && lostOutput <= 0
                ? this
                : new Truncation(
                        requests + 1,
                        promptTokens + Math.max(0, lostPrompt),
                        outputTokens + Math.max(0, lostOutput),
                        dropped);
    }

    /** Returns the sum of both. */
    public Truncation plus(Truncation other) {
        return new Truncation(
                requests + other.requests,
                promptTokens + other.promptTokens,
                outputTokens + other.outputTokens,
                dropped + other.dropped);
    }

    /** Returns the sum with omitted requests. */
    public Truncation dropping(long more) {
        return new Truncation(requests, promptTokens, outputTokens, dropped + more);
    }
}
