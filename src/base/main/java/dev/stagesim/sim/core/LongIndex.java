package dev.stagesim.sim.core;

import java.util.Arrays;

/**
 * Positions by identity: a map from {@code long} to {@code int} with open addressing.
 *
 * <p>Linear probing at most half full; lookups and insertions take constant time and allocate nothing but on growth. Has
 * no order of iteration on purpose.
 */
public final class LongIndex {
    /** What {@link #get} returns for an identity that is not there. */
    public static final int ABSENT = -1;

    /** Slot i has its key at 2i and one more than its value, 0 for none, at 2i + 1: one line of the processor's cache. */
    private long[] slots;

    private int mask;
    private int size;

    /** An empty index with room for {@code expected} identities. */
    public LongIndex(int expected) {
        int count = Integer.highestOneBit(Math.max(8, expected)) * 4;
        slots = new long[2 * count];
        mask = count - 1;
    }

    /** The position of an identity, or {@link #ABSENT}. */
    public int get(long key) {
        int at = find(key);
        return (int) slots[at + 1] - 1;
    }

    public boolean contains(long key) {
        return get(key) != ABSENT;
    }

    /** Puts or replaces a position, which is at least 0; returns the position before, or {@link #ABSENT}. */
    public int put(long key, int value) {
        if (value < 0) {
            throw new IllegalArgumentException("a position is at least 0: " + value);
        }
        int at = find(key);
        int before = (int) slots[at + 1] - 1;
        slots[at] = key;
        slots[at + 1] = value + 1L;
        if (before == ABSENT && ++size > slots.length / 4) {
            grow();
        }
        return before;
    }

    /** Takes an identity out; returns its position, or {@link #ABSENT} when it is not there. */
    public int remove(long key) {
        int at = find(key);
        int before = (int) slots[at + 1] - 1;
        if (before != ABSENT) {
            closeGap(at / 2);
            size--;
        }
        return before;
    }

    /** Where the slot begins that has a key, or that it would go to. */
    private int find(long key) {
        int slot = slot(key);
        while (slots[2 * slot + 1] != 0 && slots[2 * slot] != key) {
            slot = (slot + 1) & mask;
        }
        return 2 * slot;
    }

    /** Moves later entries of the probe sequence up so that lookups need no tombstones. */
    private void closeGap(int hole) {
        int gap = hole;
        int at = hole;
        while (true) {
            at = (at + 1) & mask;
            if (slots[2 * at + 1] == 0) {
                slots[2 * gap + 1] = 0;
                return;
            }
            int home = slot(slots[2 * at]);
            if (((at - home) & mask) >= ((at - gap) & mask)) {
                slots[2 * gap] = slots[2 * at];
                slots[2 * gap + 1] = slots[2 * at + 1];
                gap = at;
            }
        }
    }

    public void clear() {
        Arrays.fill(slots, 0);
        size = 0;
    }

    /** Number of identities. */
    public int size() {
        return size;
    }

    private int slot(long key) {
        long mixed = key * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) & mask;
    }

    private void grow() {
        long[] old = slots;
        slots = new long[old.length * 2];
        mask = mask * 2 + 1;
        size = 0;
        for (int i = 0; i < old.length; i += 2) {
            if (old[i + 1] != 0) {
                put(old[i], (int) old[i + 1] - 1);
            }
        }
    }
}
