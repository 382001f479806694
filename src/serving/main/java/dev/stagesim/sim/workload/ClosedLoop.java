package dev.stagesim.sim.workload;

/**
 * A limit on the requests in flight. A request enters when its arrival time has passed, all earlier requests have
 * entered, and fewer than {@code concurrency} requests are in flight. If the limit counts sessions, it applies to their first
 * turns, and each later turn enters a given time after the previous answer.
 *
 * @param concurrency maximum number of requests in flight, or of sessions
 * @param rampUpSeconds time in which the limit rises linearly from 1 to {@code concurrency}; 0 for no ramp-up
 * @param warmUpRequests number of first requests that metrics exclude
 * @param countsSessions whether a session counts from its first turn to its last answer
 */
public record ClosedLoop(int concurrency, double rampUpSeconds, int warmUpRequests, boolean countsSessions) {
    /** A limit on single requests. */
    public ClosedLoop(int concurrency, double rampUpSeconds, int warmUpRequests) {
        this(concurrency, rampUpSeconds, warmUpRequests, false);
    }

    /** Returns the time from which another request or session can enter, in seconds; infinite if the limit is reached. */
    public double opensAt(int inFlight) {
        return inFlight < concurrency ? rampUpSeconds * inFlight / concurrency : Double.POSITIVE_INFINITY;
    }

    /** Returns the limit with at most {@code max} in flight. */
    public ClosedLoop atMost(int max) {
        return new ClosedLoop(Math.min(max, concurrency), rampUpSeconds, warmUpRequests, countsSessions);
    }

    /** Returns a description, such as {@code closed loop, 64 in flight}. */
    @Override
    public String toString() {
        return "closed loop, " + concurrency + (countsSessions ? " sessions" : "") + " in flight";
    }
}
