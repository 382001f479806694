package dev.stagesim.sim.serving.cluster;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Dispatched requests that may be cancelled: the lowest class first, in it the one that was dispatched last; of equal ones
 * the one that Go's {@code container/heap} has on top.
 */
final class EvictionHeap {
    /** A request and where it runs. */
    record Victim(BlisRequest request, BlisInstance instance) {}

    private final List<Victim> heap = new ArrayList<>();
    private final Map<BlisRequest, Integer> places = new LinkedHashMap<>();

    boolean isEmpty() {
        return heap.isEmpty();
    }

    void add(BlisRequest request, BlisInstance instance) {
        heap.add(new Victim(request, instance));
        places.put(request, heap.size() - 1);
        rise(heap.size() - 1);
    }

    Victim take() {
        Victim first = heap.get(0);
        remove(first.request());
        return first;
    }

    /** Removes a request; nothing happens when it is not there. */
    void remove(BlisRequest request) {
        Integer place = places.get(request);
        if (place == null) {
            return;
        }
        int last = heap.size() - 1;
        swap(place, last);
        heap.remove(last);
        places.remove(request);
        if (place < last && !sink(place)) {
            rise(place);
        }
    }

    private void rise(int from) {
        int at = from;
        while (at > 0 && isBefore(at, (at - 1) / 2)) {
            swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /** Lets an entry sink below lesser ones, the left child of equals; whether it moved. */
    private boolean sink(int from) {
        int at = from;
        while (2 * at + 1 < heap.size()) {
            int child = 2 * at + 1;
            if (child + 1 < heap.size() && isBefore(child + 1, child)) {
                child++;
            }
            if (!isBefore(child, at)) {
                break;
            }
            swap(at, child);
            at = child;
        }
        return at > from;
    }

    private boolean isBefore(int one, int other) {
        BlisRequest a = heap.get(one).request();
        BlisRequest b = heap.get(other).request();
        int byClass = Integer.compare(
                ServiceClasses.priority(a.spec().serviceClass()),
                ServiceClasses.priority(b.spec().serviceClass()));
        return byClass == 0 ? a.dispatchedAt > b.dispatchedAt : byClass < 0;
    }

    private void swap(int one, int other) {
        Victim first = heap.get(one);
        heap.set(one, heap.get(other));
        heap.set(other, first);
        places.put(heap.get(one).request(), one);
        places.put(first.request(), other);
    }
}
