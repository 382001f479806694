package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** Numbers that wait for an event, each in a slot whose index fits into the event. */
final class EventSlots {
    private long[] values = new long[64];
    private int[] free = new int[64];
    private int freeCount;
    private int used;

    /**
     * Keeps a number and returns its slot.
     *
     * @throws IllegalStateException when more wait than events can name
     */
    int put(long value) {
        int slot = freeCount > 0 ? free[--freeCount] : used++;
        if (slot > State.INDEX) {
            throw new IllegalStateException("more than " + State.INDEX + " events of the client are pending");
        }
        if (slot == values.length) {
            values = Arrays.copyOf(values, 2 * slot);
            free = Arrays.copyOf(free, 2 * slot);
        }
        values[slot] = value;
        return slot;
    }

    /** Number in a slot, which is free after. */
    long take(int slot) {
        free[freeCount++] = slot;
        return values[slot];
    }
}
