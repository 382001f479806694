package dev.stagesim.sim.network.packet.state;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Records how the switches' queue lengths change during a busy period. When the fast path replays the period, it takes
 * queue samples from this record.
 */
public final class QueueHistory {
    /** Maximum number of changes of a stored busy period. */
    static final int MAX_CHANGES = 1 << 21;

    /** Port in the upper half, queued bytes in the lower half. */
    private long[] portAndBytes = {};
    /** Time of each change in ns since the start of the busy period. */
    private int[] timeNs = {};

    private int size;
    private int applied;

    public int size() {
        return size;
    }

    public boolean isFull() {
        return size >= MAX_CHANGES;
    }

    /**
     * Records that a port has {@code bytes} queued bytes from {@code time} on, in ns since the start of the busy
     * period.
     */
    public void add(long time, int port, int bytes) {
        if (isFull()) {
            return;
        }
        long word = (long) port << Integer.SIZE | bytes;
        if (size > 0 && timeNs[size - 1] == (int) time && portAndBytes[size - 1] >>> Integer.SIZE == port) {
            portAndBytes[size - 1] = word;
            return;
        }
        if (size == timeNs.length) {
            timeNs = Arrays.copyOf(timeNs, Math.max(1 << 10, 2 * size));
            portAndBytes = Arrays.copyOf(portAndBytes, timeNs.length);
        }
        timeNs[size] = (int) time;
        portAndBytes[size++] = word;
    }

    /** Restarts the replay. */
    public void rewind() {
        applied = 0;
    }

    /** Sets the queue lengths to their values just before a time. */
    public void applyUntil(long time, int[] waiting, IntUnaryOperator map) {
        while (applied < size && timeNs[applied] < time) {
            long word = portAndBytes[applied++];
            waiting[map.applyAsInt((int) (word >>> Integer.SIZE))] = (int) word;
        }
    }
}
