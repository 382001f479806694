package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** Messages on their way: the tag and what the sender knows each by. */
final class Messages {
    /** Not a message. */
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

    /** Handle of a message, whose slot is free after. */
    int take(int slot) {
        free[freeCount++] = slot;
        return handles[slot];
    }

    /** Messages so far. */
    long count() {
        return count;
    }
}
