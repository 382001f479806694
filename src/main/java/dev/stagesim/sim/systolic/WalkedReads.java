package dev.stagesim.sim.systolic;

import java.util.Optional;

/**
 * Fetches of an operand whose words are asked for again in no simple order, word by word.
 *
 * <p>What is on chip depends on the requests since the buffer was last emptied alone. So where the pattern of requests
 * repeats, as it does from scan to scan of an image and along its rows of windows, a walk that comes to a place at the same
 * distance from the last flush as a period earlier goes on as it did then, and whole periods are left out. Flushes pull
 * together soon, because most words are asked for several times.
 */
final class WalkedReads {
    private final Stream stream;
    private final Tiling tiling;
    private final long capacity;
    private final ResidentSet resident;
    private final boolean isOnce;
    private final boolean isPeriodic;
    private final Optional<LayerShape> windows;
    private final TapSelection taps;
    /** Pixels of all rows of windows but those that reach over the lower edge, and of one row. */
    private final long wholePixels;

    private final int across;
    private final Recurrence scans = new Recurrence();
    private final Recurrence rows = new Recurrence();
    private long misses;
    private long fill;
    private long lastFlush = -1;
    private int flushPort;
    private long notedFlush = -1;

    /**
     * Fetches of {@code words} words.
     *
     * @param windows the layer, for its image
     * @param taps weights that are kept
     */
    WalkedReads(Stream stream, long words, long capacity, Optional<LayerShape> windows, TapSelection taps) {
        this.stream = stream;
        this.windows = windows;
        this.taps = taps;
        this.tiling = stream.tiling;
        this.capacity = capacity;
        resident = new ResidentSet(words, capacity);
        // Stationary weights are read once, so no word is there before.
        isOnce = stream.role == Role.FILTER && !stream.isSkewed;
        isPeriodic = windows.isPresent();
        across = windows.map(LayerShape::outWidth).orElse(1);
        wholePixels = windows.map(layer ->
                        (long) layer.pixels() - (layer.lastRows() < layer.filterHeight() ? layer.outWidth() : 0))
                .orElse(0L);
    }

    long misses() {
        return misses;
    }

    /** Cycle in which the buffer was emptied last, -1 for never. */
    long lastFlush() {
        return lastFlush;
    }

    void run() {
        boolean isRepeated = isPeriodic && stream.isSkewed;
        int columnFolds = tiling.columnFolds();
        long scanCycles = (long) tiling.rowFolds() * tiling.period();
        int period = rowsPerPeriod(tiling.columns());
        for (int columnFold = 0; columnFold < columnFolds; columnFold++) {
            long begin = columnFold * scanCycles;
            if (isRepeated && columnFold > 0) {
                if (lastFlush < 0) {
                    return;
                }
                columnFold += (int) leaveOut(scans, columnFold, columnFolds - columnFold, begin, scanCycles);
            } else if (isPeriodic && !stream.isSkewed && columnFold % period == 0) {
                long left = wholePixels / tiling.columns() - columnFold;
                int skipped = (int) leaveOut(rows, columnFold, left, begin, scanCycles);
                columnFold += skipped;
                refill(skipped, columnFold, 0, 0);
            }
            if (columnFold < columnFolds) {
                scan(columnFold);
            }
        }
    }

    /** Folds after which the windows lie as before, some rows lower. */
    private int rowsPerPeriod(int lanes) {
        int a = across;
        int b = lanes;
        while (b != 0) {
            int rest = a % b;
            a = b;
            b = rest;
        }
        return across / a;
    }

    private void scan(int columnFold) {
        boolean isByFold = isPeriodic && tiling.dataflow() == Dataflow.OS;
        if (isByFold) {
            rows.clear();
        }
        int period = rowsPerPeriod(tiling.rows());
        long begin = foldStart(0, columnFold);
        for (int rowFold = 0; rowFold < tiling.rowFolds(); rowFold++) {
            if (isByFold && rowFold % period == 0 && lastFlush >= begin) {
                long left = wholePixels / tiling.rows() - rowFold;
                int skipped = (int) leaveOut(rows, rowFold, left, foldStart(rowFold, columnFold), tiling.period());
                rowFold += skipped;
                refill(skipped, columnFold, rowFold, 0);
            }
            if (rowFold < tiling.rowFolds()) {
                stream.fold(rowFold, columnFold);
                fold(rowFold, columnFold);
            }
        }
    }

    private void fold(int rowFold, int columnFold) {
        long begin = foldStart(rowFold, columnFold);
        int end = stream.end();
        // Not where filters of unequal sparsity ask for several words a cycle.
        boolean canJump = windows.isPresent() && tiling.dataflow() == Dataflow.WS && stream.isSingle();
        Optional<SteadyFold> steady = Optional.empty();
        for (int cycle = stream.start; cycle < end; cycle++) {
            requests(begin, cycle, stream.lowPort(cycle));
            if (canJump && lastFlush == begin + cycle) {
                if (steady.isEmpty()) {
                    steady = Optional.of(new SteadyFold(
                            windows.orElseThrow(), taps, rowFold * tiling.rows(), stream.width, capacity));
                }
                if (steady.get().advance(cycle - stream.start, flushPort)) {
                    canJump = false;
                    jump(steady.get(), cycle);
                    cycle = stream.start + (int) steady.get().high();
                    refill(1, columnFold, rowFold, cycle + 1);
                }
            }
        }
    }

    /** Takes over what was fetched from a flush to where the windows come to the lower edge. */
    private void jump(SteadyFold steady, int cycle) {
        misses += steady.flushes() * capacity - fill;
        lastFlush += steady.cycle() - (cycle - stream.start);
        flushPort = steady.port();
        fill = steady.fetched(steady.high());
        misses += fill;
    }

    private void requests(long begin, int cycle, int low) {
        int high = stream.highPort(cycle);
        for (int port = low; port <= high; port++) {
            long address = stream.at(cycle, port);
            if (address >= 0 && (isOnce || resident.add(address))) {
                misses++;
                fill++;
                if (fill == capacity) {
                    fill = 0;
                    resident.clear();
                    lastFlush = begin + cycle;
                    flushPort = port;
                }
            }
        }
    }

    /**
     * Leaves out whole periods when the walk is where it was before; answers how many units.
     *
     * @param index where the walk is, in units of the pattern
     * @param left units for which the pattern goes on
     */
    private long leaveOut(Recurrence seen, long index, long left, long now, long cycles) {
        if (lastFlush < 0 || lastFlush == notedFlush) {
            return 0;
        }
        notedFlush = lastFlush;
        long state = (now - lastFlush) * stream.ports() + flushPort;
        Optional<Recurrence.Visit> before = seen.visit(state, new Recurrence.Visit(index, misses));
        if (before.isEmpty()) {
            return 0;
        }
        long span = index - before.get().index();
        long times = left / span;
        if (times <= 0) {
            return 0;
        }
        misses += times * (misses - before.get().misses());
        lastFlush += times * span * cycles;
        notedFlush = lastFlush;
        seen.clear();
        return times * span;
    }

    /** Puts on chip again what was asked for between the last flush and a place to which the walk has jumped. */
    private void refill(int skipped, int columnFold, int rowFold, int endCycle) {
        if (skipped == 0) {
            return;
        }
        resident.clear();
        long held = 0;
        long from = lastFlush / tiling.period();
        long to = (long) columnFold * tiling.rowFolds() + rowFold;
        for (long fold = from; fold <= to && fold < tiling.folds(); fold++) {
            stream.fold((int) (fold % tiling.rowFolds()), (int) (fold / tiling.rowFolds()));
            int cycle = fold == from ? (int) (lastFlush % tiling.period()) : stream.start;
            int end = fold == to ? endCycle : stream.end();
            boolean isFlush = fold == from;
            for (; cycle < end; cycle++) {
                int high = stream.highPort(cycle);
                for (int port = isFlush ? flushPort + 1 : stream.lowPort(cycle); port <= high; port++) {
                    long address = stream.at(cycle, port);
                    if (address >= 0 && resident.add(address)) {
                        held++;
                    }
                }
                isFlush = false;
            }
        }
        if (held != fill) {
            throw new IllegalStateException(held + " words on chip instead of " + fill);
        }
    }

    private long foldStart(int rowFold, int columnFold) {
        return ((long) columnFold * tiling.rowFolds() + rowFold) * tiling.period();
    }
}
