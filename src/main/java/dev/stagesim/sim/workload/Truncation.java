package dev.stagesim.sim.workload;

/**
 * What a length limit took from a workload.
 *
 * @param requests requests whose prompt or output was shortened
 * @param promptTokens prompt tokens that were removed
 * @param outputTokens output tokens that were removed
 * @param dropped requests that were left out or drawn again
 */
public record Truncation(long requests, long promptTokens, long outputTokens, long dropped) {
    /** No request was changed. */
    public static final Truncation NONE = new Truncation(0, 0, 0, 0);

    public boolean isNone() {
        return equals(NONE);
    }

    /** Returns the sum with the loss of one more request; a request that lost nothing is not counted. */
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

    /** Returns the sum with requests that were left out. */
    public Truncation dropping(long more) {
        return new Truncation(requests, promptTokens, outputTokens, dropped + more);
    }
}
