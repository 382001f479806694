package dev.stagesim.sim.systolic;

import java.util.Optional;

/**
 * Reads of one operand from outside when the bandwidth is calculated.
 *
 * <p>The on-chip buffer holds a set of words that is emptied at once when it is full; a word that is not in it is fetched.
 * For operands whose words belong to one window, and for images that stay on chip, the number of fetches and the cycle of
 * the last flush follow from the sizes; larger images with overlapping windows and filters of unequal sparsity are walked.
 */
final class CalcReads {
    private static final int WORDS_PER_CYCLE = 10;
    private static final int PARTS = 100;

    private final Stream stream;
    private final Tiling tiling;
    private final long group;
    private final long capacity;
    private long misses;
    private long lastFlush = -1;

    private CalcReads(Stream stream, long memoryWords) {
        this.stream = stream;
        this.tiling = stream.tiling;
        group = memoryWords / PARTS;
        capacity = group * (PARTS / 2);
    }

    /** Reads of an operand whose words belong to one window each. */
    static Span closedForm(Stream stream, long memoryWords, long firstRequest) {
        CalcReads reads = new CalcReads(stream, memoryWords);
        if (stream.tiling.dataflow() == Dataflow.OS && stream.role == Role.FILTER) {
            reads.tileByTile();
        } else {
            reads.scans();
        }
        return reads.span(firstRequest);
    }

    /** Reads of a matrix for filters of unequal sparsity. */
    static Span paired(Stream stream, DrawnTaps drawn, int taps, long memoryWords, long firstRequest) {
        CalcReads reads = new CalcReads(stream, memoryWords);
        PairedReads paired = new PairedReads(stream.tiling, drawn, taps, reads.capacity);
        paired.run();
        reads.misses = paired.misses();
        reads.lastFlush = paired.lastFlush();
        return reads.span(firstRequest);
    }

    /** Whether a memory keeps so many words without ever being emptied. */
    static boolean holds(OperandMemory memory, long words) {
        return words < memory.words() / PARTS * (PARTS / 2);
    }

    /** Reads of an operand that fits, each of {@code words} words once. */
    static Span once(Stream stream, long memoryWords, long words, long firstRequest) {
        CalcReads reads = new CalcReads(stream, memoryWords);
        reads.misses = words;
        return reads.span(firstRequest);
    }

    /**
     * Reads of an image with overlapping windows, or of an operand with gaps, of {@code words} words.
     *
     * @param run the layer, where periods of its image may be left out
     */
    static Span walk(Stream stream, long memoryWords, long words, long firstRequest, Optional<LayerRun> run) {
        CalcReads reads = new CalcReads(stream, memoryWords);
        WalkedReads walk = new WalkedReads(
                stream,
                words,
                reads.capacity,
                run.map(of -> of.layer),
                run.map(of -> of.taps).orElse(TapSelection.dense(1)));
        walk.run();
        reads.misses = walk.misses();
        reads.lastFlush = walk.lastFlush();
        return reads.span(firstRequest);
    }

    private Span span(long firstRequest) {
        if (lastFlush < 0) {
            long groups = (misses + group - 1) / group;
            long need = (groups * group + WORDS_PER_CYCLE - 1) / WORDS_PER_CYCLE;
            return new Span(-need, -1, misses);
        }
        long need = (capacity + WORDS_PER_CYCLE - 1) / WORDS_PER_CYCLE;
        return new Span(firstRequest - need, lastFlush + 1, misses);
    }

    /** Every word once per scan: all hits after the first scan when the operand fits, no hit at all otherwise. */
    private void scans() {
        long perColumn = 0;
        long total = 0;
        int columnFolds = tiling.columnFolds();
        stream.fold(0, 0);
        if (stream.isSkewed) {
            perColumn = (long) tiling.acrossRows() * tiling.time();
            total = perColumn * columnFolds;
        } else {
            perColumn = (long) tiling.acrossRows() * Math.min(tiling.columns(), tiling.acrossColumns());
            total = (long) tiling.acrossRows() * tiling.acrossColumns();
        }
        long distinct = stream.isSkewed ? perColumn : total;
        misses = distinct < capacity ? distinct : total;
        if (misses < capacity) {
            return;
        }
        long nth = misses / capacity * capacity;
        int columnFold = (int) ((nth - 1) / perColumn);
        long inColumn = nth - columnFold * perColumn;
        stream.fold(0, columnFold);
        long perFold = stream.words();
        int rowFold = (int) ((inColumn - 1) / perFold);
        stream.fold(rowFold, columnFold);
        lastFlush = foldStart(rowFold, columnFold) + stream.cycleOf(inColumn - rowFold * perFold);
    }

    /** The filters of a column fold are read once per row fold, then never again; all column folds but the last are alike. */
    private void tileByTile() {
        int whole = tiling.columnFolds() - 1;
        long fill = whole > 0 ? columnsAlike(0, whole, 0) : 0;
        columnsAlike(whole, 1, fill);
    }

    /** Reads of {@code count} column folds of the same width; answers the words in the buffer after them. */
    private long columnsAlike(int first, int count, long fill) {
        stream.fold(0, first);
        long tile = stream.words();
        int rowFolds = tiling.rowFolds();
        if (tile >= capacity || rowFolds == 1) {
            // What is resident of the tile are the words read last, so the next one is always missing.
            long perColumn = tile * rowFolds;
            long end = fill + perColumn * count;
            misses += perColumn * count;
            long last = end / capacity * capacity - fill - 1;
            if (end >= capacity) {
                flush(first + (int) (last / perColumn), last % perColumn / tile, last % tile + 1);
            }
            return end % capacity;
        }
        long quiet = (capacity - 1 - fill) / tile;
        if (count <= quiet) {
            misses += count * tile;
            return fill + count * tile;
        }
        // A flush in the middle of a tile makes the next pass over it read it all, and none after that.
        long beforeFlush = fill + quiet * tile;
        long left = count - quiet - 1;
        misses += quiet * tile + capacity - beforeFlush + tile;
        long period = (capacity - 1) / tile;
        long periods = left / period;
        misses += periods * capacity + left % period * tile;
        long flushed = periods > 0 ? period * tile : beforeFlush;
        flush(first + (int) (quiet + periods * period), 0, capacity - flushed);
        return tile + left % period * tile;
    }

    /** Notes a flush at the {@code nth} word of a fold, counted from 1. */
    private void flush(int columnFold, long rowFold, long nth) {
        stream.fold((int) rowFold, columnFold);
        lastFlush = foldStart((int) rowFold, columnFold) + stream.cycleOf(nth);
    }

    private long foldStart(int rowFold, int columnFold) {
        return ((long) columnFold * tiling.rowFolds() + rowFold) * tiling.period();
    }

    /**
     * Fetches of a matrix for filters of unequal sparsity when the bandwidth is calculated.
     *
     * <p>Row {@code j} of the array reads whole blocks of words; {@code half} rows in a row read the same block one cycle after
     * the other. So a word is new in the first of them only, unless the buffer was emptied in between. One step per cycle, none
     * for a fold that does not fill the buffer.
     */
    private static final class PairedReads {
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
}
