package dev.stagesim.sim.network.packet;

import dev.stagesim.sim.network.packet.state.State;
import java.util.Arrays;

/** Numbers of pending client events. Each is stored in a slot, because only the slot index fits into an event. */
final class EventSlots {
    private long[] values = new long[64];
    private int[] free = new int[64];
    private int freeCount;
    private int used;

    /**
     * Stores a number and returns its slot.
     *
     * @throws IllegalStateException if too many events are pending
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

    /** Returns the number in a slot and frees the slot. */
    long take(int slot) {
        free[freeCount++] = slot;
        return values[slot];
    }
}
