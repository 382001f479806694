package dev.stagesim.sim.serving.cluster;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Events in the order of time, class and creation. */
final class TimedEvents {
    /**
     * An event.
     *
     * @param isVoid asked when its turn comes: an event that is void then moves no clock
     */
    record Event(long time, int order, long sequence, LongConsumer action, BooleanSupplier isVoid) {}

    private final PriorityQueue<Event> queue = new PriorityQueue<>(
            Comparator.comparingLong(Event::time).thenComparingInt(Event::order).thenComparingLong(Event::sequence));
    private long sequence;

    void add(long time, int order, LongConsumer action) {
        add(time, order, action, () -> false);
    }

    void add(long time, int order, LongConsumer action, BooleanSupplier isVoid) {
        queue.add(new Event(time, order, sequence++, action, isVoid));
    }

    /** Time of the first event; {@link Long#MAX_VALUE} when there is none. */
    long next() {
        Event first = queue.peek();
        return first == null ? Long.MAX_VALUE : first.time();
    }

    Event take() {
        return queue.remove();
    }
}
