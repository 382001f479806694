package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The arrival events in order of time, then of the trace. In an open loop they are fixed in advance and need no place in
 * the heap.
 *
 * <p>In a closed loop, at most one arrival is pending: the next request, at the time at which it can enter.
 */
final class Arrivals {
    private final RequestTrace trace;
    private final Integer[] order;
    private final boolean sorted;
    private final @Nullable ClosedLoop closedLoop;

    /** Number of requests that can enter before another one completes. */
    private int limit;

    private int next;
    private int completed;
    private double completedAt;

    Arrivals(RequestTrace trace) {
        this(trace, 0, trace.sorted());
    }

    private Arrivals(RequestTrace trace, int next, boolean sorted) {
        this.next = next;
        this.trace = trace;
        this.sorted = sorted;
        this.order = new Integer[sorted ? 0 : trace.size()];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(trace::arrivalSeconds));
        closedLoop = trace.closedLoop().orElse(null);
        limit = closedLoop == null ? trace.size() : Math.min(trace.size(), closedLoop.concurrency());
    }

    /** Returns an empty source, for simulations that receive their requests while they run. */
    static Arrivals none(RequestTrace places) {
        return new Arrivals(places, places.size(), true);
    }

    RequestTrace trace() {
        return trace;
    }

    boolean isClosed() {
        return closedLoop != null;
    }

    /** Admits further requests of a closed loop after {@code count} requests have completed, the last one at {@code now}. */
    void completed(int count, double now) {
        if (closedLoop != null && count > completed) {
            completed = count;
            completedAt = now;
            limit = (int) Math.min(trace.size(), (long) count + closedLoop.concurrency());
        }
    }

    boolean left() {
        return next < limit;
    }

    double time() {
        double arrival = trace.arrivalSeconds(request());
        return closedLoop == null
                ? arrival
                : Math.max(Math.max(arrival, completedAt), closedLoop.opensAt(next - completed));
    }

    /** Returns the id of the next arrival event. Arrivals have the first ids, in the order of the trace. */
    long id() {
        return request() + 1L;
    }

    int take() {
        int request = request();
        next++;
        return request;
    }

    private int request() {
        return sorted ? next : order[next];
    }
}
