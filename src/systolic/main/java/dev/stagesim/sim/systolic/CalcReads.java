package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.Role;
import dev.stagesim.sim.systolic.order.RowWiseSparsity;
import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.order.TapSelection;
import dev.stagesim.sim.systolic.order.Tiling;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.OperandMemory;
import dev.stagesim.sim.systolic.spec.TrafficSpan;
import java.util.Optional;

/**
 * DRAM reads of one operand in the mode that calculates the bandwidth.
 *
 * <p>Model: the on-chip buffer is a set of words. A request for a word that is not in the set fetches it; a full set is
 * cleared at once (a flush). Closed forms give the number of fetches and the cycle of the last flush for operands whose
 * words each belong to one window, and for images that fit on chip. Larger images with overlapping windows and row-wise
 * sparse filters are simulated word by word.
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

    /** Reads of an operand without shared words: each word belongs to one window. */
    static TrafficSpan closedForm(Stream stream, long memoryWords, long firstRequest) {
        CalcReads reads = new CalcReads(stream, memoryWords);
        if (stream.tiling.dataflow() == Dataflow.OS && stream.role == Role.FILTER) {
            reads.tileByTile();
        } else {
            reads.scans();
        }
        return reads.span(firstRequest);
    }

    /** Reads of the image matrix for row-wise sparse filters. */
    static TrafficSpan readsInPairs(
            Stream stream, RowWiseSparsity rowWise, int taps, long memoryWords, long firstRequest) {
        CalcReads reads = new CalcReads(stream, memoryWords);
        PairedReads readsInPairs = new PairedReads(stream.tiling, rowWise, taps, reads.capacity);
        readsInPairs.run();
        reads.misses = readsInPairs.misses();
        reads.lastFlush = readsInPairs.lastFlush();
        return reads.span(firstRequest);
    }

    /** True if {@code words} words fit in the memory without a flush. */
    static boolean fits(OperandMemory memory, long words) {
        return words < memory.words() / PARTS * (PARTS / 2);
    }

    /** Reads of an operand that fits on chip: each of {@code words} words is fetched once. */
    static TrafficSpan once(Stream stream, long memoryWords, long words, long firstRequest) {
        CalcReads reads = new CalcReads(stream, memoryWords);
        reads.misses = words;
        return reads.span(firstRequest);
    }

    /**
     * Reads of an image with overlapping windows, or of an operand with missing entries, of {@code words} words.
     *
     * @param run the layer if periods of its image may be skipped
     */
    static TrafficSpan walk(Stream stream, long memoryWords, long words, long firstRequest, Optional<LayerRun> run) {
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

    private TrafficSpan span(long firstRequest) {
        if (lastFlush < 0) {
            long groups = (misses + group - 1) / group;
            long need = (groups * group + WORDS_PER_CYCLE - 1) / WORDS_PER_CYCLE;
            return new TrafficSpan(-need, -1, misses);
        }
        long need = (capacity + WORDS_PER_CYCLE - 1) / WORDS_PER_CYCLE;
        return new TrafficSpan(firstRequest - need, lastFlush + 1, misses);
    }

    /**
     * Every scan requests each word once. If the operand fits, all requests after the first scan hit; otherwise none
     * does.
     */
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

    /**
     * A column fold's filters are read once per row fold and never again; all column folds except the last are equal.
     */
    private void tileByTile() {
        int whole = tiling.columnFolds() - 1;
        long fill = whole > 0 ? equalColumnFolds(0, whole, 0) : 0;
        equalColumnFolds(whole, 1, fill);
    }

    /** Counts the reads for {@code count} column folds of equal width; returns the words in the buffer afterwards. */
    private long equalColumnFolds(int first, int count, long fill) {
        stream.fold(0, first);
        long tile = stream.words();
        int rowFolds = tiling.rowFolds();
        if (tile >= capacity || rowFolds == 1) {
            // The buffer contains the tile's most recent words, so the next requested word always misses.
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
        // After a flush in the middle of a tile, the next pass over the tile misses on every word; later passes hit.
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

    /** Records a flush at the {@code nth} word within a fold, counted from 1. */
    private void flush(int columnFold, long rowFold, long nth) {
        stream.fold((int) rowFold, columnFold);
        lastFlush = foldStart((int) rowFold, columnFold) + stream.cycleOf(nth);
    }

    private long foldStart(int rowFold, int columnFold) {
        return ((long) columnFold * tiling.rowFolds() + rowFold) * tiling.period();
    }

    /**
     * Fetches of the image matrix for row-wise sparse filters in the mode that calculates the bandwidth.
     *
     * <p>Each array row {@code j} reads whole blocks of words. A group of {@code half} adjacent rows reads the same
     * block, each row one cycle after the previous one. Therefore only the first row of a group misses, unless the
     * buffer was flushed in between. The loop takes one step per cycle, and one step in total for a fold that does not
     * fill the buffer.
     */
    private static final class PairedReads {
        private final Tiling tiling;
        private final int taps;
        private final int block;
        private final int half;
        private final int lanes;
        private final long capacity;
        /** Prefix sums of words per array row: all rows, and the first rows of their groups. */
        private final long[] before;

        private final long[] firstBefore;
        private long fill;
        private long misses;
        private long lastFlush = -1;
        private int flushCycle;
        private int flushRow;
        private int flushWord;

        PairedReads(Tiling tiling, RowWiseSparsity rowWise, int taps, long capacity) {
            this.tiling = tiling;
            this.taps = taps;
            this.capacity = capacity;
            block = rowWise.wordsPerRow();
            half = block / 2;
            lanes = rowWise.lanes(tiling.rows()) / block;
            before = new long[lanes + 1];
            firstBefore = new long[lanes + 1];
        }

        long misses() {
            return misses;
        }

        /** Cycle of the last buffer flush, or -1 if none. */
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

        /** Number of missing words per row; they are at the start of its block. */
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

        /** Flushes the buffer within a row and reads to the end of the cycle; returns the next row. */
        private int flush(int cycle, int row, int high, long begin) {
            int at = row;
            int word = (int) (capacity - fill) - 1;
            misses += capacity - fill;
            lastFlush = begin + cycle;
            long rest = before[high + 1] - before[at] - word - 1;
            // After the flush, all remaining requests of this cycle miss.
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
