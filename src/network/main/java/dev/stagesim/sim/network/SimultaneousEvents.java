package dev.stagesim.sim.network;

import java.util.Arrays;

/**
 * Events of one time that were scheduled before any of them was handled, in an order that does not depend on ranks:
 * first arrivals, by tag (and by sender for tags with notified senders), then all other events in the order of
 * scheduling.
 *
 * <p>This order preserves symmetry. The events that an NPU schedules locally follow from its own history. Arrivals are
 * caused by other NPUs, so their order of scheduling would reveal the ranks of the senders. Two messages with equal
 * tags that differ only in their senders have the same effect on the receiver in either order. Equivalent NPUs
 * therefore stay equivalent.
 *
 * <p>One object serves all times: O(1) per arrival and O(k log k) for k different tags, without allocation once the
 * arrays have grown.
 */
final class SimultaneousEvents {
    private static final int NONE = -1;

    private int[] tag = new int[16];
    private int[] head = new int[16];
    private int[] tail = new int[16];
    private boolean[] hasSenders = new boolean[16];
    private int tags;
    private int recent = NONE;

    /** Hash table of tags. An entry is valid only if its round equals the current one. */
    private int[] table = new int[64];

    private int[] tableRound = new int[64];
    private int round = 1;

    private int[] message = new int[64];
    private int[] sender = new int[64];
    private int[] next = new int[64];
    private int[] order = new int[64];
    private long[] keys = {};
    private int arrivals;

    private long[] others = new long[64];
    private int othersCount;

    /** Removes all events and starts a new round. */
    void clear() {
        tags = 0;
        recent = NONE;
        arrivals = 0;
        othersCount = 0;
        round++;
    }

    /**
     * Adds an arrival.
     *
     * @param label its tag
     * @param from rank of the sender if the sender is notified, else -1
     * @param number result of {@link #arrival}
     */
    void addArrival(int label, int from, int number) {
        if (arrivals == message.length) {
            int size = arrivals * 2;
            message = Arrays.copyOf(message, size);
            sender = Arrays.copyOf(sender, size);
            next = Arrays.copyOf(next, size);
            order = Arrays.copyOf(order, size);
        }
        int entry = arrivals++;
        message[entry] = number;
        sender[entry] = from;
        next[entry] = NONE;
        if (recent == NONE || tag[recent] != label) {
            recent = bucket(label);
        }
        if (tail[recent] == NONE) {
            head[recent] = entry;
        } else {
            next[tail[recent]] = entry;
        }
        tail[recent] = entry;
        hasSenders[recent] |= from >= 0;
    }

    /** Adds another event. */
    void add(long event) {
        if (othersCount == others.length) {
            others = Arrays.copyOf(others, othersCount * 2);
        }
        others[othersCount++] = event;
    }

    /** Sorts the arrivals. Nothing may be added afterwards. */
    void close() {
        if (tags > 1) {
            sortTags();
        }
        int at = 0;
        for (int bucket = 0; bucket < tags; bucket++) {
            int from = at;
            for (int entry = head[bucket]; entry != NONE; entry = next[entry]) {
                order[at++] = entry;
            }
            if (hasSenders[bucket]) {
                sortSenders(from, at);
            }
        }
    }

    /** Number of arrivals. */
    int arrivals() {
        return arrivals;
    }

    /** The message that arrives as the {@code i}-th. */
    int arrival(int i) {
        return message[order[i]];
    }

    /** Number of other events. */
    int others() {
        return othersCount;
    }

    /** The {@code i}-th other event. */
    long other(int i) {
        return others[i];
    }

    private int bucket(int label) {
        int mask = table.length - 1;
        int slot = hash(label) & mask;
        while (tableRound[slot] == round) {
            if (tag[table[slot]] == label) {
                return table[slot];
            }
            slot = (slot + 1) & mask;
        }
        if (tags * 2 >= table.length) {
            growTable();
            return bucket(label);
        }
        if (tags == tag.length) {
            int size = tags * 2;
            tag = Arrays.copyOf(tag, size);
            head = Arrays.copyOf(head, size);
            tail = Arrays.copyOf(tail, size);
            hasSenders = Arrays.copyOf(hasSenders, size);
        }
        tag[tags] = label;
        head[tags] = NONE;
        tail[tags] = NONE;
        hasSenders[tags] = false;
        table[slot] = tags;
        tableRound[slot] = round;
        return tags++;
    }

    private void growTable() {
        table = new int[table.length * 2];
        tableRound = new int[table.length];
        int mask = table.length - 1;
        for (int bucket = 0; bucket < tags; bucket++) {
            int slot = hash(tag[bucket]) & mask;
            while (tableRound[slot] == round) {
                slot = (slot + 1) & mask;
            }
            table[slot] = bucket;
            tableRound[slot] = round;
        }
    }

    /** Heapsort; tags are distinct, so stability does not matter. */
    private void sortTags() {
        boolean isSorted = true;
        for (int i = 1; i < tags && isSorted; i++) {
            isSorted = tag[i - 1] < tag[i];
        }
        if (isSorted) {
            return;
        }
        for (int root = tags / 2 - 1; root >= 0; root--) {
            sink(root, tags);
        }
        for (int last = tags - 1; last > 0; last--) {
            swap(0, last);
            sink(0, last);
        }
    }

    private void sink(int from, int size) {
        int hole = from;
        int child = 2 * hole + 1;
        while (child < size) {
            if (child + 1 < size && tag[child] < tag[child + 1]) {
                child++;
            }
            if (tag[hole] >= tag[child]) {
                return;
            }
            swap(hole, child);
            hole = child;
            child = 2 * hole + 1;
        }
    }

    private void swap(int a, int b) {
        int label = tag[a];
        tag[a] = tag[b];
        tag[b] = label;
        int first = head[a];
        head[a] = head[b];
        head[b] = first;
        boolean has = hasSenders[a];
        hasSenders[a] = hasSenders[b];
        hasSenders[b] = has;
    }

    private void sortSenders(int from, int to) {
        boolean isSorted = true;
        for (int i = from + 1; i < to && isSorted; i++) {
            isSorted = sender[order[i - 1]] <= sender[order[i]];
        }
        if (isSorted) {
            return;
        }
        if (keys.length < arrivals) {
            keys = new long[message.length];
        }
        // Entries are numbered in the order of scheduling, which breaks ties between messages of one sender.
        for (int i = from; i < to; i++) {
            keys[i] = (long) sender[order[i]] << 32 | order[i];
        }
        Arrays.sort(keys, from, to);
        for (int i = from; i < to; i++) {
            order[i] = (int) keys[i];
        }
    }

    private static int hash(int label) {
        return (int) ((label * 0x9E3779B97F4A7C15L) >>> 32);
    }
}
