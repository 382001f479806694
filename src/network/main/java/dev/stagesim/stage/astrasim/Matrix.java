package dev.stagesim.stage.astrasim;

import java.util.Arrays;

/** Messages and bytes between NPUs: open addressing over the communicating pairs. */
final class Matrix {
    private static final long FREE = -1;

    private static final int ROW = 4;
    private static final int MESSAGES = 1;
    private static final int BYTES = 2;

    /** Rows of a pair of ranks, messages and bytes; the fourth number aligns them. */
    private long[] rows = new long[ROW << 10];

    private int used;

    Matrix() {
        clear();
    }

    void add(int source, int destination, long count, long size) {
        int row = row((long) source << 32 | destination);
        rows[row + MESSAGES] += count;
        rows[row + BYTES] += size;
    }

    void clear() {
        Arrays.fill(rows, 0);
        for (int row = 0; row < rows.length; row += ROW) {
            rows[row] = FREE;
        }
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
        for (int row = 0; row < rows.length; row += ROW) {
            if (rows[row] != FREE) {
                sorted[count++] = rows[row];
            }
        }
        Arrays.sort(sorted);
        for (long key : sorted) {
            visit(find(key), sink);
        }
    }

    /** Visits all pairs in arbitrary order. */
    void inAnyOrder(Sink sink) {
        for (int row = 0; row < rows.length; row += ROW) {
            if (rows[row] != FREE) {
                visit(row, sink);
            }
        }
    }

    private void visit(int row, Sink sink) {
        sink.pair((int) (rows[row] >>> 32), (int) rows[row], rows[row + MESSAGES], rows[row + BYTES]);
    }

    private int row(long key) {
        int row = find(key);
        if (rows[row] == FREE) {
            if (used * 2 * ROW >= rows.length) {
                grow();
                row = find(key);
            }
            rows[row] = key;
            used++;
        }
        return row;
    }

    private int find(long key) {
        int mask = rows.length / ROW - 1;
        long mixed = key * 0x9E3779B97F4A7C15L;
        int row = ((int) (mixed >>> 32) & mask) * ROW;
        while (rows[row] != FREE && rows[row] != key) {
            row = (row + ROW) & (mask * ROW);
        }
        return row;
    }

    private void grow() {
        long[] old = rows;
        rows = new long[old.length * 2];
        clear();
        for (int i = 0; i < old.length; i += ROW) {
            if (old[i] != FREE) {
                System.arraycopy(old, i, rows, row(old[i]), ROW);
            }
        }
    }
}
