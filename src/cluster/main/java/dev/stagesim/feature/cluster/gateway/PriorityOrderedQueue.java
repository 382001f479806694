package dev.stagesim.feature.cluster.gateway;

import java.util.Comparator;
import java.util.TreeSet;

/** Requests in a fixed order. Ties are ordered by request number. */
final class PriorityOrderedQueue implements AdmissionQueue {
    private final TreeSet<Integer> requests;

    PriorityOrderedQueue(Comparator<Integer> order) {
        requests = new TreeSet<>(order.thenComparing(Comparator.naturalOrder()));
    }

    @Override
    public void add(int request) {
        requests.add(request);
    }

    @Override
    public int take() {
        Integer first = requests.first();
        requests.remove(first);
        return first;
    }

    @Override
    public void remove(int request) {
        requests.remove(request);
    }

    @Override
    public int size() {
        return requests.size();
    }

    /** Returns the last request in the order. */
    int last() {
        return requests.last();
    }
}
