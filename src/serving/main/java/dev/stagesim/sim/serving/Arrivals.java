package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.SessionTurns;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The arrival events in order of time, then of the trace. In an open loop they are fixed in advance and need no place in
 * the heap.
 *
 * <p>In a closed loop, at most one arrival is pending: the next request, at the time at which it can enter. If the loop counts
 * sessions, this is a first turn, and the later turns of the sessions in flight are pending as well.
 */
final class Arrivals implements ServingRecorder {
    private record Turn(double time, int request) {}

    private final RequestTrace trace;
    private final int[] order;
    private final boolean sorted;

    /** Number of requests that enter in order: all, or the first turns. */
    private final int size;

    private final @Nullable ClosedLoop closedLoop;
    private final @Nullable SessionTurns turns;
    private final PriorityQueue<Turn> later =
            new PriorityQueue<>(Comparator.comparingDouble(Turn::time).thenComparingInt(Turn::request));

    /** Number of requests that can enter before another request or session ends. */
    private int limit;

    private int next;
    private int completed;
    private double completedAt;

    Arrivals(RequestTrace trace) {
        this(trace, 0, trace.sorted());
    }

    private Arrivals(RequestTrace trace, int next, boolean isSorted) {
        this.next = next;
        this.trace = trace;
        closedLoop = trace.closedLoop().orElse(null);
        turns = closedLoop != null && closedLoop.countsSessions() ? trace.turns() : null;
        sorted = isSorted && turns == null;
        order = sorted
                ? new int[0]
                : IntStream.range(0, trace.size())
                        .filter(request -> turns == null || turns.turn(request) == 0)
                        .boxed()
                        .sorted(Comparator.comparingDouble(trace::arrivalSeconds))
                        .mapToInt(Integer::intValue)
                        .toArray();
        size = sorted ? trace.size() : order.length;
        limit = closedLoop == null ? size : Math.min(size, closedLoop.concurrency());
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

    /** Returns true if completed requests determine arrivals individually, so that this object must record them. */
    boolean hasTurns() {
        return turns != null;
    }

    /** Admits further requests of a closed loop after {@code count} requests have completed, the last one at {@code now}. */
    void completed(int count, double now) {
        if (turns == null) {
            ended(count, now);
        }
    }

    /** Admits further requests after {@code count} requests or sessions have ended. */
    private void ended(int count, double now) {
        if (closedLoop != null && count > completed) {
            completed = count;
            completedAt = now;
            limit = (int) Math.min(size, (long) count + closedLoop.concurrency());
        }
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.noneOf(Signal.class);
    }

    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        if (turns != null && turns.next(request) >= 0) {
            int following = turns.next(request);
            later.add(new Turn(time + turns.gap(following), following));
        } else if (turns != null) {
            ended(completed + 1, time);
        }
    }

    boolean left() {
        return next < limit || !later.isEmpty();
    }

    double time() {
        double first = next < limit ? firstTurnTime() : Double.POSITIVE_INFINITY;
        return later.isEmpty() ? first : Math.min(first, later.element().time());
    }

    /** Returns the time at which the next request can enter; in a loop of sessions, the next first turn. */
    private double firstTurnTime() {
        double arrival = trace.arrivalSeconds(ordered());
        return closedLoop == null
                ? arrival
                : Math.max(Math.max(arrival, completedAt), closedLoop.opensAt(next - completed));
    }

    /** Returns the id of the next arrival event. Arrivals have the first ids, in the order of the trace. */
    long id() {
        return (isLaterTurn() ? later.element().request() : ordered()) + 1L;
    }

    int take() {
        if (isLaterTurn()) {
            return later.remove().request();
        }
        int request = ordered();
        next++;
        return request;
    }

    private boolean isLaterTurn() {
        return !later.isEmpty() && (next >= limit || later.element().time() < firstTurnTime());
    }

    private int ordered() {
        return sorted ? next : order[next];
    }
}
