package dev.stagesim.feature.cluster.instance;

import java.util.PriorityQueue;

/** A queue of actions by time in seconds. Actions with equal times run in the order in which they were planned. */
public final class EventSchedule {
    private record Event(double at, long order, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long order;

    public void plan(double at, Runnable action) {
        events.add(new Event(at, order++, action));
    }

    /** Returns the time of the next action, or infinity if there is none. */
    public double next() {
        Event first = events.peek();
        return first == null ? Double.POSITIVE_INFINITY : first.at();
    }

    /** Runs the next action. */
    public void run() {
        events.remove().action().run();
    }
}
