package dev.stagesim.sim.network.packet.state;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/** Changes of the switches' queue lengths during a busy period, for queue samples during its replay. */
public final class QueueHistory {
    /** Maximum number of changes of a stored busy period. */
    static final int MAX_CHANGES = 1 << 21;

    private long[] placeAndBytes = {};
    private int[] at = {};
    private int size;
    private int applied;

    public int size() {
        return size;
    }

    public boolean isFull() {
        return size >= MAX_CHANGES;
    }

    /** Records the queued bytes of a port from a time of the busy period. */
    public void add(long time, int port, int bytes) {
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
    public void rewind() {
        applied = 0;
    }

    /** Sets the queue lengths to their values just before a time. */
    public void applyUntil(long time, int[] waiting, IntUnaryOperator map) {
        while (applied < size && at[applied] < time) {
            long word = placeAndBytes[applied++];
            waiting[map.applyAsInt((int) (word >>> Integer.SIZE))] = (int) word;
        }
    }
}
