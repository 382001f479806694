package dev.stagesim.sim.collective;

import java.util.Arrays;

/** Numbers from 0 up by keys that are not negative; O(1), without boxes. */
final class LongIntMap {
    private static final long FREE = -1;

    private long[] keys = new long[64];
    private int[] values = new int[64];
    private int size;

    LongIntMap() {
        Arrays.fill(keys, FREE);
    }

    int size() {
        return size;
    }

    /** The value of a key, or -1. */
    int get(long key) {
        int slot = slot(key);
        return keys[slot] == FREE ? -1 : values[slot];
    }

    void put(long key, int value) {
        if (size * 2 >= keys.length) {
            grow();
        }
        int slot = slot(key);
        if (keys[slot] == FREE) {
            keys[slot] = key;
            size++;
        }
        values[slot] = value;
    }

    private int slot(long key) {
        int mask = keys.length - 1;
        int slot = (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & mask;
        while (keys[slot] != FREE && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new int[keys.length];
        Arrays.fill(keys, FREE);
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != FREE) {
                int slot = slot(oldKeys[i]);
                keys[slot] = oldKeys[i];
                values[slot] = oldValues[i];
            }
        }
    }
}
