package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.request.RequestSpec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;

/** A queue of requests, by arrival or by priority. */
final class RequestQueue {
    /** Most urgent first. The names break ties as text, as in vLLM. */
    static final Comparator<LiveRequest> URGENCY = Comparator.<LiveRequest>comparingInt(
                    request -> request.spec.urgency().priority())
            .thenComparingDouble(request -> request.spec.urgency().arrivalTime())
            .thenComparing(request -> request.spec.name())
            .thenComparingInt(request -> request.spec.index());

    private final Queue<LiveRequest> items;
    private final boolean byPriority;

    RequestQueue(boolean byPriority) {
        this.byPriority = byPriority;
        this.items = byPriority ? new PriorityQueue<>(URGENCY) : new ArrayDeque<>();
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    int size() {
        return items.size();
    }

    LiveRequest first() {
        return items.element();
    }

    LiveRequest removeFirst() {
        return items.remove();
    }

    void add(LiveRequest request) {
        items.add(request);
    }

    void addFirst(LiveRequest request) {
        if (items instanceof ArrayDeque<LiveRequest> list) {
            list.addFirst(request);
        } else {
            items.add(request);
        }
    }

    /** Inserts requests before all others, in order. */
    void addFirst(List<LiveRequest> requests) {
        for (int i = requests.size() - 1; i >= 0; i--) {
            addFirst(requests.get(i));
        }
    }

    boolean remove(LiveRequest request) {
        return items.remove(request);
    }

    Collection<LiveRequest> unordered() {
        return items;
    }

    /** Returns the requests, the first one to run first. */
    List<LiveRequest> ordered() {
        List<LiveRequest> list = new ArrayList<>(items);
        if (byPriority) {
            list.sort(URGENCY);
        }
        return list;
    }

    /** Returns true if {@code a} runs before {@code b}. Names compare by code point, as in Python. */
    static boolean isSooner(LiveRequest a, LiveRequest b) {
        return URGENCY.compare(a, b) < 0;
    }

    /** Returns true if {@code a} is preempted before {@code b}: the part of the order that selects a victim. */
    static boolean isLessUrgent(RequestSpec a, RequestSpec b) {
        int byPriority = Integer.compare(a.urgency().priority(), b.urgency().priority());
        return byPriority > 0
                || (byPriority == 0 && a.urgency().arrivalTime() > b.urgency().arrivalTime());
    }
}
