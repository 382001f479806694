package dev.stagesim.feature.reference;

import java.util.List;

/**
 * Outcome of the requests that an engine served.
 *
 * @param tokenTimes when each output token of each request came, in ns since the run began
 * @param tokens what each request said
 * @param restarts restarts of each request
 * @param steps batches that were computed
 * @param clock where their time went
 * @param processorShare processor time of the engine's thread over the time it took, about 1 on an idle machine
 */
public record Served(
        List<long[]> tokenTimes,
        List<int[]> tokens,
        int[] restarts,
        long steps,
        StepClock clock,
        double processorShare) {
    public Served {
        tokenTimes = List.copyOf(tokenTimes);
        tokens = List.copyOf(tokens);
    }
}
