package dev.stagesim.feature.reference;

import java.util.List;

/**
 * The result of serving requests.
 *
 * @param tokenTimes times of the output tokens of each request, in ns since the start
 * @param tokens output tokens of each request
 * @param restarts number of restarts of each request
 * @param steps number of computed batches
 * @param clock time of each part of the steps
 * @param processorShare processor time of the engine thread divided by elapsed time; about 1 on an idle machine
 */
record EngineOutcome(
        List<long[]> tokenTimes,
        List<int[]> tokens,
        int[] restarts,
        long steps,
        StepClock clock,
        double processorShare) {
    EngineOutcome {
        tokenTimes = List.copyOf(tokenTimes);
        tokens = List.copyOf(tokens);
    }
}
