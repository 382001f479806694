package dev.stagesim.sim.network.packet.fastpath;

import java.util.Arrays;

/**
 * Log of the events handled while flows were simulated as trains. It contains everything needed to replay them frame by
 * frame with the stamps that they would have had.
 */
final class FastPathLog {
    /** Stamp of an entry for events that were scheduled between two handled events. */
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
     * @param first number of the first event that it scheduled
     * @param end number after the last one
     * @param started flow that it started as a train, or none
     * @param lastLegOf flow that began its last leg, or none
     * @param completed flow of a replayed busy period that it completed, or none
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
