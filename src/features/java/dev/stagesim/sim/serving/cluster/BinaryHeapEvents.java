package dev.stagesim.sim.serving.cluster;

import java.util.ArrayList;
import java.util.List;

/**
 * Events in the order of time alone; of equal times the one that Python's {@code heapq} has on top.
 *
 * <p>A peer that compares times only still does the same thing in every run: the order of equals follows from the order
 * in which events came and went.
 */
final class BinaryHeapEvents {
    /** An event at a time in seconds. */
    record Event(double time, Runnable action) {}

    private final List<Event> heap = new ArrayList<>();

    boolean isEmpty() {
        return heap.isEmpty();
    }

    void add(double time, Runnable action) {
        heap.add(new Event(time, action));
        rise(heap.size() - 1);
    }

    Event take() {
        Event last = heap.remove(heap.size() - 1);
        if (heap.isEmpty()) {
            return last;
        }
        Event first = heap.get(0);
        sink(last);
        return first;
    }

    private void rise(int from) {
        Event event = heap.get(from);
        int at = from;
        while (at > 0 && event.time() < heap.get((at - 1) / 2).time()) {
            heap.set(at, heap.get((at - 1) / 2));
            at = (at - 1) / 2;
        }
        heap.set(at, event);
    }

    /** Lets the hole on top sink to the bottom along the lesser children, the right one of equals, and puts the event there. */
    private void sink(Event event) {
        int at = 0;
        int child = 1;
        while (child < heap.size()) {
            int right = child + 1;
            if (right < heap.size() && heap.get(child).time() >= heap.get(right).time()) {
                child = right;
            }
            heap.set(at, heap.get(child));
            at = child;
            child = 2 * at + 1;
        }
        heap.set(at, event);
        rise(at);
    }
}
