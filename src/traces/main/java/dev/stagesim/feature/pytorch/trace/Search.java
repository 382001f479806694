package dev.stagesim.feature.pytorch.trace;

/** Binary search in events sorted by start. */
final class Search {
    private Search() {}

    /** Index of the last of {@code events} that starts before {@code time}, or -1. */
    static int before(DeviceTrace trace, int[] events, double time) {
        return before(trace, events, 0, events.length, time) - 1;
    }

    /** Index of the first of {@code events[from..to]} that does not start before {@code time}, or {@code to}. */
    static int before(DeviceTrace trace, int[] events, int from, int to, double time) {
        int low = from;
        int high = to;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (trace.start(events[middle]) < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Index of the first of {@code events} that starts after {@code time}, or their number. */
    static int after(DeviceTrace trace, int[] events, double time) {
        int low = 0;
        int high = events.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (trace.start(events[middle]) <= time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
