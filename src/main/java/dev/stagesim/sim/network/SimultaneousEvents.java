package dev.stagesim.sim.network;

import java.util.Arrays;

/**
 * What happens at one time and was planned before any of it happened, in an order that no NPU's rank decides: arrivals by
 * tag, those of one tag that somebody is told of by sender, and after them all else as it was planned.
 *
 * <p>What an NPU plans for itself follows from what it did before. Arrivals come from others, and as they were planned
 * their order at an NPU would say where its senders stand among all NPUs. Two messages of one tag that differ in nothing
 * but their senders do the same to the receiver, whichever is first. So NPUs that are alike stay alike.
 *
 * <p>Used again for every round: O(1) an arrival and O(k log k) for k different tags; no allocation once the arrays have
 * grown.
 */
public final class SimultaneousEvents {
    private static final int NONE = -1;

    private int[] tag = new int[16];
    private int[] head = new int[16];
    private int[] tail = new int[16];
    private boolean[] hasSenders = new boolean[16];
    private int tags;
    private int recent = NONE;

    /** Tags by hash; what is there counts only in the round of the same number. */
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

    /** Forgets the round before. */
    public void clear() {
        tags = 0;
        recent = NONE;
        arrivals = 0;
        othersCount = 0;
        round++;
    }

    /**
     * A message arrives.
     *
     * @param label its tag
     * @param from rank of its sender where somebody is told that it was sent, else -1
     * @param number what {@link #arrival} gives back
     */
    public void addArrival(int label, int from, int number) {
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

    /** Anything else happens. */
    public void add(long event) {
        if (othersCount == others.length) {
            others = Arrays.copyOf(others, othersCount * 2);
        }
        others[othersCount++] = event;
    }

    /** Puts the arrivals in order; nothing more may be added. */
    public void close() {
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
    public int arrivals() {
        return arrivals;
    }

    /** The message that arrives as the {@code i}-th. */
    public int arrival(int i) {
        return message[order[i]];
    }

    /** Number of other events. */
    public int others() {
        return othersCount;
    }

    /** The {@code i}-th other event. */
    public long other(int i) {
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

    /** By heap: tags differ, so that their order needs not be stable. */
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
        // Entries are numbered as they were planned, which decides between messages of one sender.
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
