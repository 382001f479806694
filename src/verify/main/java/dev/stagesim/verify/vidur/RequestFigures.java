package dev.stagesim.verify.vidur;

import dev.stagesim.sim.serving.replica.RequestStates;

/**
 * The metrics of one request as the reference defines them, in seconds. They exist for completed requests unless a method
 * documents otherwise.
 *
 * <p>"Per output token" divides by the requested tokens, including the first. The lengths are those after restarts.
 */
final class RequestFigures {
    private final RequestStates states;

    RequestFigures(RequestStates states) {
        this.states = states;
    }

    double endToEnd(int request) {
        return states.completedAt(request) - states.arrivedAt(request);
    }

    double endToEndPerToken(int request) {
        return endToEnd(request) / states.decodeTokens(request);
    }

    double execution(int request) {
        return states.execution(request);
    }

    double executionPerToken(int request) {
        return states.execution(request) / states.decodeTokens(request);
    }

    double modelExecution(int request) {
        return states.modelExecution(request);
    }

    double modelExecutionPerToken(int request) {
        return states.modelExecution(request) / states.decodeTokens(request);
    }

    double preempted(int request) {
        return states.preempted(request);
    }

    /** Returns the time from arrival to the first batch, for requests that were scheduled. */
    double schedulingDelay(int request) {
        return states.scheduledAt(request) - states.arrivedAt(request);
    }

    double executionPlusPreempted(int request) {
        return states.execution(request) + states.preempted(request);
    }

    double executionPlusPreemptedPerToken(int request) {
        return executionPlusPreempted(request) / states.decodeTokens(request);
    }

    /** Time from arrival to the end of the first prefill, for requests with a finished prefill. */
    double timeToFirstToken(int request) {
        return states.prefillCompletedAt(request) - states.arrivedAt(request);
    }

    double prefillPlusPreempted(int request) {
        return states.prefillCompletedAt(request) - states.scheduledAt(request);
    }

    double prefillPlusPreemptedPerToken(int request) {
        return prefillPlusPreempted(request) / states.prefillTokens(request);
    }

    /** Divides by all output tokens, although the prefill produces the first one. */
    double decodePerToken(int request) {
        return (states.completedAt(request) - states.prefillCompletedAt(request)) / states.decodeTokens(request);
    }
}
