package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** Changes of the switches' queue lengths during a busy period, for queue samples during its replay. */
final class QueueHistory {
    /** Maximum number of changes of a stored busy period. */
    static final int MAX_CHANGES = 1 << 21;

    private long[] placeAndBytes = {};
    private int[] at = {};
    private int size;
    private int applied;

    int size() {
        return size;
    }

    boolean isFull() {
        return size >= MAX_CHANGES;
    }

    /** Records the queued bytes of a port from a time of the busy period. */
    void add(long time, int port, int bytes) {
        if (isFull()) {
            return;
        }
        long word = (long) port << Integer.SIZE | bytes;
        if (size > 0 && at[size - 1] == (int) time && placeAndBytes[size - 1] >>> Integer.SIZE == port) {
            placeAndBytes[size - 1] = word;
            return;
        }
        if (size == at.length) {
            at = Arrays.copyOf(at, Math.max(1 << 10, 2 * size));
            placeAndBytes = Arrays.copyOf(placeAndBytes, at.length);
        }
        at[size] = (int) time;
        placeAndBytes[size++] = word;
    }

    /** Restarts the replay. */
    void rewind() {
        applied = 0;
    }

    /** Sets the queue lengths to their values just before a time. */
    void applyUntil(long time, int[] waiting, PortMap map) {
        while (applied < size && at[applied] < time) {
            long word = placeAndBytes[applied++];
            waiting[map.of((int) (word >>> Integer.SIZE))] = (int) word;
        }
    }
}
