package dev.stagesim.feature.cluster.instance;

import java.util.PriorityQueue;

/** Things to be done at given times, in the order in which they were planned at equal times. */
public final class EventSchedule {
    private record Event(double at, long order, Runnable what) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long order;

    public void plan(double at, Runnable what) {
        events.add(new Event(at, order++, what));
    }

    /** Time of the next one; infinite when there is none. */
    public double next() {
        Event first = events.peek();
        return first == null ? Double.POSITIVE_INFINITY : first.at();
    }

    /** Does the next one. */
    public void run() {
        events.remove().what().run();
    }
}
