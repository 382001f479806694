package dev.stagesim.verify.vidur;

import dev.stagesim.sim.serving.replica.RequestStates;

/**
 * The metrics of one request as the reference defines them, in seconds. They exist for completed requests unless a method
 * documents otherwise.
 *
 * <p>"Per output token" divides by the requested tokens, including the first. A restart changes a request's lengths; some
 * metrics use the changed lengths and some the original ones.
 */
public final class RequestFigures {
    private final RequestStates states;
    private final boolean isChanged;

    /**
     * @param isChanged true for lengths after restarts, as in the reference
     */
    public RequestFigures(RequestStates states, boolean isChanged) {
        this.states = states;
        this.isChanged = isChanged;
    }

    private double decode(int request) {
        return isChanged ? states.decodeTokens(request) : states.trace().decodeTokens(request);
    }

    private double prefill(int request) {
        return isChanged ? states.prefillTokens(request) : states.trace().prefillTokens(request);
    }

    public double endToEnd(int request) {
        return states.completedAt(request) - states.arrivedAt(request);
    }

    public double endToEndPerToken(int request) {
        return endToEnd(request) / decode(request);
    }

    public double execution(int request) {
        return states.execution(request);
    }

    public double executionPerToken(int request) {
        return states.execution(request) / decode(request);
    }

    public double modelExecution(int request) {
        return states.modelExecution(request);
    }

    public double modelExecutionPerToken(int request) {
        return states.modelExecution(request) / decode(request);
    }

    public double preempted(int request) {
        return states.preempted(request);
    }

    /** Returns the time from arrival to the first batch, for requests that were scheduled. */
    public double schedulingDelay(int request) {
        return states.scheduledAt(request) - states.arrivedAt(request);
    }

    public double executionPlusPreempted(int request) {
        return states.execution(request) + states.preempted(request);
    }

    public double executionPlusPreemptedPerToken(int request) {
        return executionPlusPreempted(request) / decode(request);
    }

    /** Time from arrival to the end of the first prefill, for requests with a finished prefill. */
    public double timeToFirstToken(int request) {
        return states.prefillCompletedAt(request) - states.arrivedAt(request);
    }

    public double prefillPlusPreempted(int request) {
        return states.prefillCompletedAt(request) - states.scheduledAt(request);
    }

    public double prefillPlusPreemptedPerToken(int request) {
        return prefillPlusPreempted(request) / prefill(request);
    }

    /** Divides by all output tokens, although the prefill produces the first one. */
    public double decodePerToken(int request) {
        return (states.completedAt(request) - states.prefillCompletedAt(request)) / decode(request);
    }
}
