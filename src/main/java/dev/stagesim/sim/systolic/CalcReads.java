package dev.stagesim.sim.systolic;

/**
 * Reads of one operand from outside when the bandwidth is calculated.
 *
 * <p>The on-chip buffer holds a set of words that is emptied at once when it is full; a word that is not in it is fetched.
 * For operands whose words belong to one window the number of fetches and the cycle of the last flush follow from the
 * sizes; only an image with overlapping windows and filters of unequal sparsity are walked.
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

    /** Reads of an image with overlapping windows, or of an operand with gaps, of {@code words} words. */
    static Span walk(Stream stream, long memoryWords, long words, long firstRequest) {
        CalcReads reads = new CalcReads(stream, memoryWords);
        reads.walkFolds(words);
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

    /** The filters of a column fold are read once per row fold, then never again. */
    private void tileByTile() {
        long fill = 0;
        int rowFolds = tiling.rowFolds();
        for (int columnFold = 0; columnFold < tiling.columnFolds(); columnFold++) {
            stream.fold(0, columnFold);
            long tile = stream.words();
            long accesses = tile * rowFolds;
            long at = 0;
            long resident = 0;
            // What is resident of the tile are the words read last, so the next one is missing until all are.
            while (at < accesses && resident < tile) {
                long step = Math.min(Math.min(accesses - at, tile - resident), capacity - fill);
                at += step;
                misses += step;
                fill += step;
                resident += step;
                if (fill == capacity) {
                    fill = 0;
                    resident = 0;
                    int rowFold = (int) ((at - 1) / tile);
                    lastFlush = foldStart(rowFold, columnFold) + stream.cycleOf((at - 1) % tile + 1);
                }
            }
        }
    }

    private void walkFolds(long words) {
        ResidentSet resident = new ResidentSet(words, capacity);
        // Stationary weights are read once, so no word is there before.
        boolean isOnce = stream.role == Role.FILTER && !stream.isSkewed;
        // When the whole image fits, nothing is fetched after the first scan.
        boolean isOneScan = words < capacity && stream.isSkewed && stream.role == Role.IMAGE;
        int columnFolds = isOneScan ? 1 : tiling.columnFolds();
        long fill = 0;
        for (int columnFold = 0; columnFold < columnFolds; columnFold++) {
            for (int rowFold = 0; rowFold < tiling.rowFolds(); rowFold++) {
                stream.fold(rowFold, columnFold);
                long begin = foldStart(rowFold, columnFold);
                int end = stream.end();
                for (int cycle = stream.start; cycle < end; cycle++) {
                    int high = stream.highPort(cycle);
                    for (int port = stream.lowPort(cycle); port <= high; port++) {
                        long address = stream.at(cycle, port);
                        if (address >= 0 && (isOnce || resident.add(address))) {
                            misses++;
                            fill++;
                            if (fill == capacity) {
                                fill = 0;
                                resident.clear();
                                lastFlush = begin + cycle;
                            }
                        }
                    }
                }
            }
        }
    }

    private long foldStart(int rowFold, int columnFold) {
        return ((long) columnFold * tiling.rowFolds() + rowFold) * tiling.period();
    }
}
