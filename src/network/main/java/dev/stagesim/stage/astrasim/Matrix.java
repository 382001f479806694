package dev.stagesim.stage.astrasim;

import java.util.Arrays;

/** Messages and bytes between NPUs: open addressing over the communicating pairs. */
final class Matrix {
    private static final long FREE = -1;

    private long[] pair = new long[1024];
    private long[] messages = new long[1024];
    private long[] bytes = new long[1024];
    private int used;

    Matrix() {
        Arrays.fill(pair, FREE);
    }

    void add(int source, int destination, long count, long size) {
        int slot = slot((long) source << 32 | destination);
        messages[slot] += count;
        bytes[slot] += size;
    }

    void clear() {
        Arrays.fill(pair, FREE);
        Arrays.fill(messages, 0);
        Arrays.fill(bytes, 0);
        used = 0;
    }

    /** Number of communicating pairs. */
    int size() {
        return used;
    }

    /** Receives the pairs. */
    interface Sink {
        void pair(int source, int destination, long messages, long bytes);
    }

    /** Visits all pairs by source, then destination. */
    void forEach(Sink sink) {
        long[] sorted = new long[used];
        int count = 0;
        for (long key : pair) {
            if (key != FREE) {
                sorted[count++] = key;
            }
        }
        Arrays.sort(sorted);
        for (long key : sorted) {
            int slot = find(key);
            sink.pair((int) (key >>> 32), (int) key, messages[slot], bytes[slot]);
        }
    }

    /** Visits all pairs in arbitrary order. */
    void inAnyOrder(Sink sink) {
        for (int slot = 0; slot < pair.length; slot++) {
            if (pair[slot] != FREE) {
                sink.pair((int) (pair[slot] >>> 32), (int) pair[slot], messages[slot], bytes[slot]);
            }
        }
    }

    private int slot(long key) {
        int slot = find(key);
        if (pair[slot] == FREE) {
            if (used * 2 >= pair.length) {
                grow();
                slot = find(key);
            }
            pair[slot] = key;
            used++;
        }
        return slot;
    }

    private int find(long key) {
        int mask = pair.length - 1;
        long mixed = key * 0x9E3779B97F4A7C15L;
        int slot = (int) (mixed >>> 32) & mask;
        while (pair[slot] != FREE && pair[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        long[] oldPair = pair;
        long[] oldMessages = messages;
        long[] oldBytes = bytes;
        pair = new long[oldPair.length * 2];
        messages = new long[pair.length];
        bytes = new long[pair.length];
        Arrays.fill(pair, FREE);
        for (int i = 0; i < oldPair.length; i++) {
            if (oldPair[i] != FREE) {
                int slot = find(oldPair[i]);
                pair[slot] = oldPair[i];
                messages[slot] = oldMessages[i];
                bytes[slot] = oldBytes[i];
            }
        }
    }
}
