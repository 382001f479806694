package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** Messages in transit: tag and client handle of each. */
final class Messages {
    /** No message. */
    static final int NONE = -1;

    private int[] tags = new int[64];
    private int[] handles = new int[64];
    private int[] free = new int[64];
    private int freeCount;
    private int used;
    private long count;

    int put(int tag, int handle) {
        int slot = freeCount > 0 ? free[--freeCount] : used++;
        if (slot == tags.length) {
            tags = Arrays.copyOf(tags, 2 * slot);
            handles = Arrays.copyOf(handles, 2 * slot);
            free = Arrays.copyOf(free, 2 * slot);
        }
        tags[slot] = tag;
        handles[slot] = handle;
        count++;
        return slot;
    }

    int tag(int slot) {
        return tags[slot];
    }

    /** Returns the handle of a message and frees its slot. */
    int take(int slot) {
        free[freeCount++] = slot;
        return handles[slot];
    }

    /** Number of messages so far. */
    long count() {
        return count;
    }
}
