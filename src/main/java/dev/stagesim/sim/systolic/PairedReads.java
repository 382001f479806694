package dev.stagesim.sim.systolic;

/**
 * Fetches of a matrix for filters of unequal sparsity when the bandwidth is calculated.
 *
 * <p>Row {@code j} of the array reads whole blocks of words; {@code half} rows in a row read the same block one cycle after
 * the other. So a word is new in the first of them only, unless the buffer was emptied in between. One step per cycle, none
 * for a fold that does not fill the buffer.
 */
final class PairedReads {
    private final Tiling tiling;
    private final int taps;
    private final int block;
    private final int half;
    private final int lanes;
    private final long capacity;
    /** Words of the rows before one: of all rows, and of those that read their block first. */
    private final long[] before;

    private final long[] firstBefore;
    private long fill;
    private long misses;
    private long lastFlush = -1;
    private int flushCycle;
    private int flushRow;
    private int flushWord;

    PairedReads(Tiling tiling, DrawnTaps drawn, int taps, long capacity) {
        this.tiling = tiling;
        this.taps = taps;
        this.capacity = capacity;
        block = drawn.wordsPerRow();
        half = block / 2;
        lanes = drawn.lanes(tiling.rows()) / block;
        before = new long[lanes + 1];
        firstBefore = new long[lanes + 1];
    }

    long misses() {
        return misses;
    }

    /** Cycle in which the buffer was emptied last, -1 for never. */
    long lastFlush() {
        return lastFlush;
    }

    void run() {
        long distinct = (long) taps * tiling.time();
        if (distinct < capacity) {
            misses = distinct;
            return;
        }
        for (int columnFold = 0; columnFold < tiling.columnFolds(); columnFold++) {
            for (int rowFold = 0; rowFold < tiling.rowFolds(); rowFold++) {
                fold(rowFold, columnFold);
            }
        }
    }

    private void fold(int rowFold, int columnFold) {
        int from = rowFold * 2 * tiling.rows();
        for (int row = 0; row < lanes; row++) {
            int words = Math.max(0, Math.min(block, taps - from - row / half * block));
            before[row + 1] = before[row] + words;
            firstBefore[row + 1] = firstBefore[row] + (row % half == 0 ? words : 0);
        }
        long words = firstBefore[lanes] * tiling.time();
        if (fill + words < capacity) {
            fill += words;
            misses += words;
            return;
        }
        long begin = ((long) columnFold * tiling.rowFolds() + rowFold) * tiling.period() + tiling.rows();
        flushCycle = -2;
        for (int cycle = 0; cycle < tiling.time() + lanes - 1; cycle++) {
            cycle(cycle, begin);
        }
    }

    private void cycle(int cycle, long begin) {
        int low = Math.max(0, cycle - tiling.time() + 1);
        int high = Math.min(lanes - 1, cycle);
        long missing = firstBefore[high + 1] - firstBefore[low];
        if (cycle == flushCycle + 1) {
            for (int row = low; row <= Math.min(high, flushRow + 1); row++) {
                missing += row % half == 0 ? 0 : missing(cycle, row);
            }
        }
        if (fill + missing < capacity) {
            fill += missing;
            misses += missing;
            return;
        }
        int row = low;
        while (row <= high) {
            long count = missing(cycle, row);
            if (fill + count < capacity) {
                fill += count;
                misses += count;
                row++;
            } else {
                row = flush(cycle, row, high, begin);
            }
        }
    }

    /** Words of a row that are not on chip; they are the first of its block. */
    private long missing(int cycle, int row) {
        long words = before[row + 1] - before[row];
        if (row % half == 0) {
            return words;
        }
        if (cycle != flushCycle + 1 || row - 1 > flushRow) {
            return 0;
        }
        return row - 1 < flushRow ? words : Math.min(words, flushWord + 1);
    }

    /** Empties the buffer within a row, and reads on until the end of the cycle; answers the row after. */
    private int flush(int cycle, int row, int high, long begin) {
        int at = row;
        int word = (int) (capacity - fill) - 1;
        misses += capacity - fill;
        lastFlush = begin + cycle;
        long rest = before[high + 1] - before[at] - word - 1;
        // All that the cycle still reads is missing now.
        while (rest >= capacity) {
            misses += capacity;
            rest -= capacity;
            long read = before[high + 1] - before[row] - rest;
            while (before[at + 1] - before[row] < read) {
                at++;
            }
            word = (int) (read - (before[at] - before[row])) - 1;
        }
        misses += rest;
        fill = rest;
        flushCycle = cycle;
        flushRow = at;
        flushWord = word;
        return high + 1;
    }
}
