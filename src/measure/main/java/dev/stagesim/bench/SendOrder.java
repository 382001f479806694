package dev.stagesim.bench;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.sim.workload.SessionTurns;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/** The order in which a replay sends requests: first turns as the limit allows, later turns after the previous answer. */
final class SendOrder {
    private record Turn(long dueNs, int request) {}

    private final List<PlannedRequest> requests;
    private final ClosedLoop limit;
    private final Optional<SessionTurns> turns;
    private final int[] first;
    private final Map<Long, Integer> positions = new HashMap<>();
    private final PriorityQueue<Turn> later =
            new PriorityQueue<>(Comparator.comparingLong(Turn::dueNs).thenComparingInt(Turn::request));
    private int next;
    private int endedSessions;

    SendOrder(List<PlannedRequest> requests, Replay.Options options) {
        this.requests = requests;
        limit = options.limit();
        turns = options.turns();
        first = IntStream.range(0, requests.size())
                .filter(request -> !isLaterTurn(request))
                .toArray();
        turns.ifPresent(all -> IntStream.range(0, requests.size())
                .forEach(i -> positions.put(requests.get(i).id(), i)));
    }

    /** Returns true if a request follows the answer to another one. */
    boolean isLaterTurn(int request) {
        return turns.isPresent() && turns.get().turn(request) > 0;
    }

    /** Returns the time from which the next request can be sent, in ns; the maximum if it waits for an answer. */
    long dueNs(int active) {
        long due = firstDueNs(active);
        return later.isEmpty() ? due : Math.min(due, later.element().dueNs());
    }

    private long firstDueNs(int active) {
        if (next == first.length) {
            return Long.MAX_VALUE;
        }
        double opens = limit.opensAt(turns.isPresent() ? next - endedSessions : active);
        return Math.max(requests.get(first[next]).arrivalNs(), Math.round(opens * NS_PER_S));
    }

    /** Removes the next request and returns its position. */
    int take(int active) {
        return !later.isEmpty() && later.element().dueNs() < firstDueNs(active)
                ? later.remove().request()
                : first[next++];
    }

    /** Plans the turn after an answer, or frees the place of a session that has ended. */
    void ended(ReplayOutcome outcome) {
        turns.ifPresent(all -> {
            int following = all.next(positions.getOrDefault(outcome.id(), -1));
            if (following >= 0) {
                later.add(new Turn(outcome.endNs() + Math.round(all.gap(following) * NS_PER_S), following));
            } else {
                endedSessions++;
            }
        });
    }
}
