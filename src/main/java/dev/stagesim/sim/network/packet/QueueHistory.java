package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** How the queues of switches grew and shrank in a round, for the samples of others like it. */
final class QueueHistory {
    /** Changes beyond which a round is too long to be kept. */
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

    /** Notes what waits at a port from some time of the round on. */
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

    /** Starts from the beginning. */
    void rewind() {
        applied = 0;
    }

    /** Sets what waits at the ports to what did before a time. */
    void applyUntil(long time, int[] waiting, PortMap map) {
        while (applied < size && at[applied] < time) {
            long word = placeAndBytes[applied++];
            waiting[map.of((int) (word >>> Integer.SIZE))] = (int) word;
        }
    }
}
