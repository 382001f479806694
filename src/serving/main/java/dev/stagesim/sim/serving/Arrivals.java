package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.Arrays;
import java.util.Comparator;

/** The arrival events in order of time, then of the trace. They are fixed in advance and need no place in the heap. */
final class Arrivals {
    private final RequestTrace trace;
    private final Integer[] order;
    private final boolean sorted;
    private final int size;
    private int next;

    Arrivals(RequestTrace trace) {
        this(trace, 0, trace.sorted());
    }

    private Arrivals(RequestTrace trace, int next, boolean sorted) {
        this.next = next;
        this.trace = trace;
        this.sorted = sorted;
        this.size = trace.size();
        this.order = new Integer[sorted ? 0 : trace.size()];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(trace::arrivalSeconds));
    }

    /** Returns an empty source, for simulations that receive their requests while they run. */
    static Arrivals none(RequestTrace places) {
        return new Arrivals(places, places.size(), true);
    }

    RequestTrace trace() {
        return trace;
    }

    boolean left() {
        return next < size;
    }

    double time() {
        return trace.arrivalSeconds(request());
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
