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

    private long[] keys;
    private int[] values;
    private int size;

    /** An empty index with room for {@code expected} identities. */
    public LongIndex(int expected) {
        int slots = Integer.highestOneBit(Math.max(8, expected)) * 4;
        keys = new long[slots];
        values = new int[slots];
        Arrays.fill(values, ABSENT);
    }

    /** The position of an identity, or {@link #ABSENT}. */
    public int get(long key) {
        int slot = slot(key);
        while (values[slot] != ABSENT) {
            if (keys[slot] == key) {
                return values[slot];
            }
            slot = (slot + 1) & (keys.length - 1);
        }
        return ABSENT;
    }

    public boolean contains(long key) {
        return get(key) != ABSENT;
    }

    /** Puts or replaces a position, which is at least 0; returns the position before, or {@link #ABSENT}. */
    public int put(long key, int value) {
        if (value < 0) {
            throw new IllegalArgumentException("a position is at least 0: " + value);
        }
        int slot = slot(key);
        while (values[slot] != ABSENT) {
            if (keys[slot] == key) {
                int before = values[slot];
                values[slot] = value;
                return before;
            }
            slot = (slot + 1) & (keys.length - 1);
        }
        keys[slot] = key;
        values[slot] = value;
        size++;
        if (size > keys.length / 2) {
            grow();
        }
        return ABSENT;
    }

    /** Takes an identity out; returns its position, or {@link #ABSENT} when it is not there. */
    public int remove(long key) {
        int slot = slot(key);
        while (values[slot] != ABSENT && keys[slot] != key) {
            slot = (slot + 1) & (keys.length - 1);
        }
        int before = values[slot];
        if (before != ABSENT) {
            closeGap(slot);
            size--;
        }
        return before;
    }

    /** Moves later entries of the probe sequence up so that lookups need no tombstones. */
    private void closeGap(int hole) {
        int mask = keys.length - 1;
        int gap = hole;
        int at = hole;
        while (true) {
            at = (at + 1) & mask;
            if (values[at] == ABSENT) {
                values[gap] = ABSENT;
                return;
            }
            int home = slot(keys[at]);
            if (((at - home) & mask) >= ((at - gap) & mask)) {
                keys[gap] = keys[at];
                values[gap] = values[at];
                gap = at;
            }
        }
    }

    public void clear() {
        Arrays.fill(values, ABSENT);
        size = 0;
    }

    /** Number of identities. */
    public int size() {
        return size;
    }

    private int slot(long key) {
        long mixed = key * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32) & (keys.length - 1);
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new int[keys.length];
        Arrays.fill(values, ABSENT);
        size = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != ABSENT) {
                put(oldKeys[i], oldValues[i]);
            }
        }
    }
}
