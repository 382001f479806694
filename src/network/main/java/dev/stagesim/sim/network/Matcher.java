package dev.stagesim.sim.network;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Matches the k-th message with the k-th receive of each (source, destination, size, tag).
 *
 * <p>Messages with equal keys must arrive in the order of their sends. A key then has either unexpected arrivals (a
 * count) or pending receives (a queue). A row with neither stays, because most keys repeat, until the table is full. The
 * table uses open addressing with rows of four longs, so a look-up touches one cache line. Operations are O(1) and
 * allocate nothing once the table has grown.
 */
public final class Matcher {
    /** Result of {@link #arrive} and {@link #receive} if there is no match. */
    static final int NOTHING = -1;

    /** By destination, source, tag and size. */
    public static final Comparator<Unmatched> ORDER = Comparator.comparingInt(Unmatched::destination)
            .thenComparingInt(Unmatched::source)
            .thenComparingInt(Unmatched::tag)
            .thenComparingLong(Unmatched::bytes);

    private static final int ROW = 4;
    private static final long FREE = -1;

    /** Row: ranks; size; number of arrivals (upper half) and tag; first and last pending receive. */
    private long[] rows = new long[ROW << 8];

    private int mask = (1 << 8) - 1;

    /** Rows with a key. */
    private int filled;

    private int[] handle = new int[64];
    private int[] next = new int[64];
    private int free = NOTHING;
    private int made;

    /** Creates an empty matcher. */
    public Matcher() {
        Arrays.fill(rows, FREE);
    }

    /** Records an arrival. Returns the handle of the oldest pending receive, or {@link #NOTHING}. */
    public int arrive(int source, int destination, long bytes, int tag) {
        return arrive(ranks(source, destination), bytes, tag);
    }

    /** Records an arrival like {@link #arrive(int, int, long, int)}, with both ranks in one number. */
    int arrive(long ranks, long bytes, int tag) {
        int row = find(ranks, bytes, tag);
        if (row < 0) {
            row = insert(~row, ranks, bytes, tag);
            rows[row + 2] += 1L << 32;
            return NOTHING;
        }
        int first = (int) (rows[row + 3] >>> 32);
        if (first == -1) {
            rows[row + 2] += 1L << 32;
            return NOTHING;
        }
        int found = handle[first];
        int second = next[first];
        next[first] = free;
        free = first;
        rows[row + 3] = second == NOTHING ? -1 : (long) second << 32 | (rows[row + 3] & 0xFFFFFFFFL);
        return found;
    }

    /** Posts a receive. Returns true if its message has already arrived; otherwise stores the handle. */
    public boolean receive(int source, int destination, long bytes, int tag, int what) {
        long ranks = ranks(source, destination);
        int row = find(ranks, bytes, tag);
        if (row < 0) {
            row = insert(~row, ranks, bytes, tag);
        } else if (rows[row + 2] >>> 32 != 0) {
            rows[row + 2] -= 1L << 32;
            return true;
        }
        int entry = entry(what);
        int last = (int) rows[row + 3];
        if (last == NOTHING) {
            rows[row + 3] = (long) entry << 32 | entry;
        } else {
            next[last] = entry;
            rows[row + 3] = (rows[row + 3] & 0xFFFFFFFF00000000L) | entry;
        }
        return false;
    }

    /** Reports all unmatched messages and receives, by destination, source, tag and size. */
    public void unmatched(Consumer<Unmatched> sink) {
        List<Unmatched> all = new ArrayList<>();
        for (int row = 0; row < rows.length; row += ROW) {
            if (isActive(row)) {
                int arrived = (int) (rows[row + 2] >>> 32);
                int waiting = 0;
                for (int e = (int) (rows[row + 3] >>> 32); e != NOTHING; e = next[e]) {
                    waiting++;
                }
                all.add(new Unmatched(
                        arrived > 0 ? Unmatched.Kind.ARRIVED : Unmatched.Kind.AWAITED,
                        (int) (rows[row] >>> 32),
                        (int) rows[row],
                        rows[row + 1],
                        (int) rows[row + 2],
                        arrived > 0 ? arrived : waiting));
            }
        }
        all.sort(ORDER);
        all.forEach(sink);
    }

    private int entry(int what) {
        int entry = free;
        if (entry == NOTHING) {
            if (made == handle.length) {
                handle = Arrays.copyOf(handle, made * 2);
                next = Arrays.copyOf(next, made * 2);
            }
            entry = made++;
        } else {
            free = next[entry];
        }
        handle[entry] = what;
        next[entry] = NOTHING;
        return entry;
    }

    /** Returns the offset of a key's row. If absent, returns the complement of the offset for its insertion. */
    private int find(long ranks, long bytes, int tag) {
        int slot = hash(ranks, bytes, tag) & mask;
        while (true) {
            int row = slot * ROW;
            long there = rows[row];
            if (there == FREE) {
                return ~row;
            }
            if (there == ranks && rows[row + 1] == bytes && (int) rows[row + 2] == tag) {
                return row;
            }
            slot = (slot + 1) & mask;
        }
    }

    private int insert(int at, long ranks, long bytes, int tag) {
        int row = at;
        if (filled * 2 > mask) {
            sweep();
            if (filled * 8 > mask) {
                grow();
            }
            row = ~find(ranks, bytes, tag);
        }
        filled++;
        rows[row] = ranks;
        rows[row + 1] = bytes;
        rows[row + 2] = tag & 0xFFFFFFFFL;
        rows[row + 3] = -1;
        return row;
    }

    /** True if a row has a key, and arrivals or pending receives. */
    private boolean isActive(int row) {
        return rows[row] != FREE && (rows[row + 2] >>> 32 != 0 || rows[row + 3] != -1);
    }

    /** Removes the rows that have neither arrivals nor pending receives. */
    private void sweep() {
        for (int row = 0; row < rows.length; row += ROW) {
            while (rows[row] != FREE && !isActive(row)) {
                remove(row);
            }
        }
    }

    private void remove(int row) {
        filled--;
        int gap = row / ROW;
        int slot = gap;
        while (true) {
            slot = (slot + 1) & mask;
            int at = slot * ROW;
            if (rows[at] == FREE) {
                break;
            }
            int home = hash(rows[at], rows[at + 1], (int) rows[at + 2]) & mask;
            if (((slot - home) & mask) >= ((slot - gap) & mask)) {
                System.arraycopy(rows, at, rows, gap * ROW, ROW);
                gap = slot;
            }
        }
        rows[gap * ROW] = FREE;
    }

    private void grow() {
        long[] old = rows;
        mask = mask * 2 + 1;
        rows = new long[(mask + 1) * ROW];
        Arrays.fill(rows, FREE);
        for (int row = 0; row < old.length; row += ROW) {
            if (old[row] != FREE) {
                int to = ~find(old[row], old[row + 1], (int) old[row + 2]);
                System.arraycopy(old, row, rows, to, ROW);
            }
        }
    }

    private static long ranks(int source, int destination) {
        return (long) source << 32 | destination;
    }

    private static int hash(long ranks, long bytes, int tag) {
        long mixed = (ranks * 31 + tag) * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ (mixed >>> 32) ^ bytes) * 0xC2B2AE3D27D4EB4FL;
        return (int) (mixed >>> 32);
    }
}
