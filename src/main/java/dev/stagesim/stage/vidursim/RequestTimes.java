package dev.stagesim.stage.vidursim;

import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.RequestStates;

/** Artifact times of requests, in ns, and what follows from them. */
record RequestTimes(ServingInput input, RequestStates states) {
    /** When the first output token came; of requests that have one. */
    long firstToken(int request) {
        return Nanos.of(states.prefillCompletedAt(request));
    }

    long timeToFirstToken(int request) {
        return firstToken(request) - input.arrivalNs(request);
    }

    /** When the last output token came; of completed requests. */
    long completion(int request) {
        return Nanos.of(states.completedAt(request));
    }

    long endToEnd(int request) {
        return completion(request) - input.arrivalNs(request);
    }

    /** Mean time per output token after the first; of completed requests with more than one. */
    double tpot(int request) {
        return (double) (completion(request) - firstToken(request)) / (states.emittedTokens(request) - 1);
    }
}
