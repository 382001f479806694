package dev.stagesim.sim.network.packet.event;

import java.util.Arrays;

/**
 * Calendar queue of the events in the next microseconds, ordered by (time, order of scheduling): a ring with one list
 * per ns.
 *
 * <p>An event is a node, a number chosen by the caller that is pending at most once at a time. Scheduling and removal
 * are O(1) if the events of one ns are scheduled in the order of their stamps; otherwise scheduling takes one step per
 * event of that ns with a later stamp. Nothing is allocated once the tables have grown to the largest node.
 */
public final class NearEvents {
    static final int NONE = -1;

    private static final int MIN_SPAN = 1 << 10;
    private static final int MAX_SPAN = 1 << 20;
    private static final int WORD_SHIFT = 6;
    private static final long LOW = 0xffffffffL;

    private final int mask;
    /** By time modulo the span: first and last event of that ns. */
    private final int[] first;

    private final int[] last;
    /** One bit per list that is not empty, and one bit per word of {@link #occupied} that is not 0. */
    private final long[] occupied;

    private final long[] occupiedWords;

    /** By node: the stamp; the next node (upper half) and the previous node (lower half). */
    private long[] rows = new long[0];

    private int size;

    /** Creates a ring for delays below {@code span} ns, or fewer if the span is too long. */
    public NearEvents(long span) {
        int length = MIN_SPAN;
        while (length < span && length < MAX_SPAN) {
            length *= 2;
        }
        mask = length - 1;
        first = new int[length];
        last = new int[length];
        Arrays.fill(first, NONE);
        occupied = new long[length >>> WORD_SHIFT];
        occupiedWords = new long[(occupied.length + Long.SIZE - 1) >>> WORD_SHIFT];
    }

    public int size() {
        return size;
    }

    /** True if the ring covers an event after this delay. */
    public boolean reaches(long delay) {
        return delay <= mask;
    }

    /** Adds an event. Its stamp may be lower than the stamps of pending events of the same time. */
    public void plan(long time, long stamp, int node) {
        if (2 * node >= rows.length) {
            rows = Arrays.copyOf(rows, Math.max(2 * node + 2, 2 * rows.length));
        }
        size++;
        rows[2 * node] = stamp;
        int slot = (int) time & mask;
        if (first[slot] == NONE) {
            first[slot] = node;
            last[slot] = node;
            link(node, NONE, NONE);
            occupied[slot >>> WORD_SHIFT] |= 1L << slot;
            occupiedWords[slot >>> (2 * WORD_SHIFT)] |= 1L << (slot >>> WORD_SHIFT);
            return;
        }
        int before = last[slot];
        if (rows[2 * before] > stamp) {
            insert(slot, before, stamp, node);
            return;
        }
        link(before, previous(before), node);
        link(node, before, NONE);
        last[slot] = node;
    }

    private void insert(int slot, int from, long stamp, int node) {
        int after = from;
        while (after != first[slot] && rows[2 * previous(after)] > stamp) {
            after = previous(after);
        }
        int before = after == first[slot] ? NONE : previous(after);
        if (before == NONE) {
            first[slot] = node;
        } else {
            link(before, previous(before), node);
        }
        link(node, before, after);
        link(after, node, next(after));
    }

    private int next(int node) {
        return (int) (rows[2 * node + 1] >> Integer.SIZE);
    }

    /** Previous node of a node that is not the first of its list. */
    private int previous(int node) {
        return (int) rows[2 * node + 1];
    }

    private void link(int node, int previous, int next) {
        rows[2 * node + 1] = ((long) next << Integer.SIZE) | (previous & LOW);
    }

    /** Time of the first event, which is not before {@code now}, or the maximum long if there is none. */
    public long time(long now) {
        int slot = (int) now & mask;
        if (first[slot] != NONE) {
            return now;
        }
        if (size == 0) {
            return Long.MAX_VALUE;
        }
        int word = slot >>> WORD_SHIFT;
        long rest = occupied[word] >>> slot;
        if (rest != 0) {
            return now + Long.numberOfTrailingZeros(rest);
        }
        int found = wordFrom(word + 1);
        if (found == NONE) {
            found = wordFrom(0);
        }
        int foundSlot = (found << WORD_SHIFT) + Long.numberOfTrailingZeros(occupied[found]);
        return now + ((foundSlot - slot) & mask);
    }

    private int wordFrom(int word) {
        int group = word >>> WORD_SHIFT;
        if (group >= occupiedWords.length) {
            return NONE;
        }
        long bits = occupiedWords[group] & (-1L << word);
        while (bits == 0) {
            group++;
            if (group == occupiedWords.length) {
                return NONE;
            }
            bits = occupiedWords[group];
        }
        return (group << WORD_SHIFT) + Long.numberOfTrailingZeros(bits);
    }

    /** Stamp of the first event of a time that has events. */
    public long stamp(long time) {
        return rows[2 * first[(int) time & mask]];
    }

    /** Removes the first event of a time that has events. */
    public int take(long time) {
        int slot = (int) time & mask;
        int node = first[slot];
        int following = next(node);
        first[slot] = following;
        size--;
        if (following == NONE) {
            int word = slot >>> WORD_SHIFT;
            occupied[word] &= ~(1L << slot);
            if (occupied[word] == 0) {
                occupiedWords[word >>> WORD_SHIFT] &= ~(1L << word);
            }
        }
        return node;
    }
}
