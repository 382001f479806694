package dev.stagesim.feature.pytorch.link;

import dev.stagesim.stats.Bisection;

/** Binary search in events sorted by start. */
final class EventSearch {
    private EventSearch() {}

    /** Index of the last of {@code events} that starts before {@code time}, or -1. */
    static int before(DeviceTrace trace, int[] events, double time) {
        return before(trace, events, 0, events.length, time) - 1;
    }

    /** Index of the first of {@code events[from..to]} that does not start before {@code time}, or {@code to}. */
    static int before(DeviceTrace trace, int[] events, int from, int to, double time) {
        return Bisection.smallest(from - 1, to, i -> trace.start(events[i]) >= time);
    }

    /** Index of the first of {@code events} that starts after {@code time}, or their number. */
    static int after(DeviceTrace trace, int[] events, double time) {
        return Bisection.smallest(-1, events.length, i -> trace.start(events[i]) > time);
    }
}
