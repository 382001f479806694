package dev.stagesim.stage.vidursim;

import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.replica.RequestStates;

/** Times of requests in artifacts, in ns, and metrics derived from them. */
record RequestTimes(ServingInput input, RequestStates states) {
    /** Returns the arrival time; in a closed loop, the time of entry. */
    long arrival(int request) {
        return input.isClosed() ? RoundedNanos.of(states.arrivedAt(request)) : input.arrivalNs(request);
    }

    /** Returns true unless the run ended before a request of a closed loop entered. */
    boolean hasEntered(int request) {
        return !Double.isInfinite(states.arrivedAt(request));
    }

    /** Returns the time of the first output token; defined for requests with an output token. */
    long firstToken(int request) {
        return RoundedNanos.of(states.prefillCompletedAt(request));
    }

    long timeToFirstToken(int request) {
        return firstToken(request) - arrival(request);
    }

    /** Returns the time of the last output token; defined for completed requests. */
    long completion(int request) {
        return RoundedNanos.of(states.completedAt(request));
    }

    long endToEnd(int request) {
        return completion(request) - arrival(request);
    }

    /** Returns the mean time per output token after the first; defined for completed requests with several output tokens. */
    double tpot(int request) {
        return (double) (completion(request) - firstToken(request)) / (states.emittedTokens(request) - 1);
    }
}
