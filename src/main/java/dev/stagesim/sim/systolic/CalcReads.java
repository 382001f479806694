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
}
