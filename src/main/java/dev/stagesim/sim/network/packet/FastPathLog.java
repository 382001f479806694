package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * Events that were handled while flows passed as trains, in order: all that it takes to go through them again, frame by
 * frame, with the stamps that they would have had.
 */
final class FastPathLog {
    /** Instead of a stamp: events were planned between two others. */
    static final long BETWEEN = -1;

    static final int NONE = -1;

    private static final int ROW = 7;

    private long[] rows = new long[64 * ROW];
    private int size;

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    /**
     * Adds an event.
     *
     * @param first number of the first event that it planned
     * @param end number after the last one
     * @param started flow that it started as a train, or none
     * @param lastLegOf flow whose last leg it began, or none
     * @param completed flow of a round that it ended, or none
     */
    void add(long time, long stamp, long first, long end, int started, int lastLegOf, int completed) {
        int at = ROW * size++;
        if (at + ROW > rows.length) {
            rows = Arrays.copyOf(rows, 2 * rows.length);
        }
        rows[at] = time;
        rows[at + 1] = stamp;
        rows[at + 2] = first;
        rows[at + 3] = end;
        rows[at + 4] = started;
        rows[at + 5] = lastLegOf;
        rows[at + 6] = completed;
    }

    long time(int entry) {
        return rows[ROW * entry];
    }

    long stamp(int entry) {
        return rows[ROW * entry + 1];
    }

    long first(int entry) {
        return rows[ROW * entry + 2];
    }

    long end(int entry) {
        return rows[ROW * entry + 3];
    }

    int started(int entry) {
        return (int) rows[ROW * entry + 4];
    }

    int lastLegOf(int entry) {
        return (int) rows[ROW * entry + 5];
    }

    int completed(int entry) {
        return (int) rows[ROW * entry + 6];
    }
}
