package dev.stagesim.sim.workload;

/**
 * A limit on the requests in flight. A request enters when its arrival time has passed, all earlier requests have
 * entered, and fewer than {@code concurrency} requests are in flight.
 *
 * @param concurrency maximum number of requests in flight
 * @param rampUpSeconds time in which the limit rises linearly from 1 to {@code concurrency}; 0 for no ramp-up
 * @param warmUpRequests number of first requests that metrics exclude
 */
public record ClosedLoop(int concurrency, double rampUpSeconds, int warmUpRequests) {
    /** Returns the time from which another request can enter, in seconds; infinite if the limit is reached. */
    public double opensAt(int inFlight) {
        return inFlight < concurrency ? rampUpSeconds * inFlight / concurrency : Double.POSITIVE_INFINITY;
    }

    /** Returns a description, such as {@code closed loop, 64 in flight}. */
    @Override
    public String toString() {
        return "closed loop, " + concurrency + " in flight";
    }
}
