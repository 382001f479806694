package dev.stagesim.sim.core;

import java.util.Arrays;

/**
 * A map from {@code long} to {@code int} with open addressing.
 *
 * <p>Linear probing with a load factor of at most one half. Lookups and insertions take constant time and allocate only
 * when the table grows. There is deliberately no iteration.
 */
public final class LongIndex {
    /** Result of {@link #get} for an absent key. */
    public static final int ABSENT = -1;

    /** Slot i has its key at 2i and its value plus one (0 if empty) at 2i + 1, in the same cache line. */
    private long[] slots;

    private int mask;
    private int size;

    /** Creates an empty map with capacity for {@code expected} keys. */
    public LongIndex(int expected) {
        int count = Integer.highestOneBit(Math.max(8, expected)) * 4;
        slots = new long[2 * count];
        mask = count - 1;
    }

    /** Returns the value of a key, or {@link #ABSENT}. */
    public int get(long key) {
        int at = find(key);
        return (int) slots[at + 1] - 1;
    }

    public boolean contains(long key) {
        return get(key) != ABSENT;
    }

    /** Sets the value of a key, which must be at least 0. Returns the previous value, or {@link #ABSENT}. */
    public int put(long key, int value) {
        if (value < 0) {
            throw new IllegalArgumentException("the value must be at least 0, got " + value);
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

    /** Removes a key. Returns its value, or {@link #ABSENT}. */
    public int remove(long key) {
        int at = find(key);
        int before = (int) slots[at + 1] - 1;
        if (before != ABSENT) {
            closeGap(at / 2);
            size--;
        }
        return before;
    }

    /** Returns the index of the slot with a key, or of the slot in which to insert it. */
    private int find(long key) {
        int slot = slot(key);
        while (slots[2 * slot + 1] != 0 && slots[2 * slot] != key) {
            slot = (slot + 1) & mask;
        }
        return 2 * slot;
    }

    /** Moves later entries of the probe sequence forward, so that lookups need no tombstones. */
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

    /** Returns the number of keys. */
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
