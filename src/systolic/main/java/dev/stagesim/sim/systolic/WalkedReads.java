package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.Role;
import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.order.TapSelection;
import dev.stagesim.sim.systolic.order.Tiling;
import dev.stagesim.sim.systolic.spec.Dataflow;
import dev.stagesim.sim.systolic.spec.LayerShape;
import java.util.Optional;

/**
 * Word-by-word simulation of the fetches of an operand that is read repeatedly in an irregular order.
 *
 * <p>The on-chip words depend only on the requests since the last flush. The request pattern is periodic: it repeats
 * from scan to scan of an image and along its rows of windows. If the walk reaches the same distance from the last
 * flush as one period earlier, it will repeat, so whole periods are skipped. Flushes synchronise quickly because most
 * words are requested several times.
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
    /** Pixels of all window rows that are completely inside the image. */
    private final long wholePixels;

    private final int across;
    private final Recurrence scans = new Recurrence();
    private final Recurrence rows = new Recurrence();
    private long misses;
    private long fill;
    private long lastFlush = -1;
    private int flushPort;
    private long comparedFlush = -1;

    /**
     * Creates the simulation of an operand with {@code words} words.
     *
     * @param windows the layer, if the operand is its image
     * @param taps kept weights
     */
    WalkedReads(Stream stream, long words, long capacity, Optional<LayerShape> windows, TapSelection taps) {
        this.stream = stream;
        this.windows = windows;
        this.taps = taps;
        this.tiling = stream.tiling;
        this.capacity = capacity;
        resident = new ResidentSet(words, capacity);
        // Stationary weights are read once, so every request misses.
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

    /** Cycle of the last buffer flush, or -1 if none. */
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
                columnFold += (int) skipPeriods(scans, columnFold, columnFolds - columnFold, begin, scanCycles);
            } else if (isPeriodic && !stream.isSkewed && columnFold % period == 0) {
                long left = wholePixels / tiling.columns() - columnFold;
                int skipped = (int) skipPeriods(rows, columnFold, left, begin, scanCycles);
                columnFold += skipped;
                refill(skipped, columnFold, 0, 0);
            }
            if (columnFold < columnFolds) {
                scan(columnFold);
            }
        }
    }

    /** Number of folds until the windows have the same columns again, some rows lower. */
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
                int skipped = (int) skipPeriods(rows, rowFold, left, foldStart(rowFold, columnFold), tiling.period());
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
        // Row-wise sparse filters request several words per cycle, which the closed form does not cover.
        boolean canJump = windows.isPresent() && tiling.dataflow() == Dataflow.WS && stream.isSingle();
        Optional<SteadyFold> steady = Optional.empty();
        for (int cycle = stream.start(); cycle < end; cycle++) {
            requests(begin, cycle, stream.lowPort(cycle));
            if (canJump && lastFlush == begin + cycle) {
                if (steady.isEmpty()) {
                    steady = Optional.of(new SteadyFold(
                            windows.orElseThrow(), taps, rowFold * tiling.rows(), stream.width(), capacity));
                }
                if (steady.get().advance(cycle - stream.start(), flushPort)) {
                    canJump = false;
                    jump(steady.get(), cycle);
                    cycle = stream.start() + (int) steady.get().high();
                    refill(1, columnFold, rowFold, cycle + 1);
                }
            }
        }
    }

    /** Adds the fetches from a flush to the first window at the lower edge. */
    private void jump(SteadyFold steady, int cycle) {
        misses += steady.flushes() * capacity - fill;
        lastFlush += steady.cycle() - (cycle - stream.start());
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
     * Skips whole periods if the walk has returned to an earlier state; returns the number of skipped units.
     *
     * @param index position of the walk, in units of the pattern
     * @param left remaining units of the pattern
     */
    private long skipPeriods(Recurrence seen, long index, long left, long now, long cycles) {
        if (lastFlush < 0 || lastFlush == comparedFlush) {
            return 0;
        }
        comparedFlush = lastFlush;
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
        comparedFlush = lastFlush;
        seen.clear();
        return times * span;
    }

    /** Restores the on-chip words after a jump: the words requested since the last flush. */
    private void refill(int skipped, int columnFold, int rowFold, int endCycle) {
        if (skipped == 0) {
            return;
        }
        resident.clear();
        long residentWords = 0;
        long from = lastFlush / tiling.period();
        long to = (long) columnFold * tiling.rowFolds() + rowFold;
        for (long fold = from; fold <= to && fold < tiling.folds(); fold++) {
            stream.fold((int) (fold % tiling.rowFolds()), (int) (fold / tiling.rowFolds()));
            int cycle = fold == from ? (int) (lastFlush % tiling.period()) : stream.start();
            int end = fold == to ? endCycle : stream.end();
            boolean isFlush = fold == from;
            for (; cycle < end; cycle++) {
                int high = stream.highPort(cycle);
                for (int port = isFlush ? flushPort + 1 : stream.lowPort(cycle); port <= high; port++) {
                    long address = stream.at(cycle, port);
                    if (address >= 0 && resident.add(address)) {
                        residentWords++;
                    }
                }
                isFlush = false;
            }
        }
        if (residentWords != fill) {
            throw new IllegalStateException(residentWords + " words on chip instead of " + fill);
        }
    }

    private long foldStart(int rowFold, int columnFold) {
        return ((long) columnFold * tiling.rowFolds() + rowFold) * tiling.period();
    }
}
