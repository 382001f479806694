package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.TapSelection;
import dev.stagesim.sim.systolic.spec.LayerShape;
import java.util.Optional;

/**
 * Closed form of the fetches of an image that streams past stationary weights, from one buffer flush to the next.
 *
 * <p>Each word a port requests was requested by another port a fixed number of cycles earlier, except in the first and
 * last columns of windows. So the number of cycles since the last flush determines whether a word is on chip, and the
 * fetches of a port up to any cycle follow by arithmetic.
 *
 * <p>Cycles are counted from the first cycle of the stream; port {@code k} serves pixel {@code cycle - k}.
 */
final class SteadyFold {
    private static final long NEVER = Long.MAX_VALUE / 4;
    private static final int GUESSES = 8;

    private final LayerShape layer;
    private final int ports;
    private final int across;
    private final long capacity;
    private final long low;
    private final long high;
    /** Columns at each end that form separate kinds. */
    private final int edge;

    private final int kinds;
    /**
     * Per column kind and port: cycles since another port requested the same word (-1 if there is no word), and that
     * port.
     */
    private final long[][] lag;

    private final int[][] by;
    private final int[] row;
    private final int[] column;
    private final int[] channel;
    private final Recurrence seen = new Recurrence();
    private long cycle;
    private int port;
    private long flushes;

    /**
     * @param taps kept weights
     */
    SteadyFold(LayerShape layer, TapSelection taps, int first, int ports, long capacity) {
        this.layer = layer;
        this.ports = ports;
        this.capacity = capacity;
        across = layer.outWidth();
        // All windows that share words with this window must be completely inside the image.
        int margin = (layer.filterHeight() - 1) / layer.strideHeight();
        int below = Math.max(margin, layer.lastRows() < layer.filterHeight() ? 1 : 0);
        low = (long) margin * across + ports - 1;
        high = (long) (layer.outHeight() - below) * across - 1;
        edge = Math.max(1, (layer.filterWidth() - 1) / layer.strideWidth());
        kinds = Math.min(across, 2 * edge + 1);
        lag = new long[kinds][ports];
        by = new int[kinds][ports];
        row = new int[ports];
        column = new int[ports];
        channel = new int[ports];
        int perRow = layer.filterWidth() * layer.channels();
        for (int k = 0; k < ports; k++) {
            int original = taps.original(first + k);
            row[k] = original / perRow;
            column[k] = original % perRow / layer.channels();
            channel[k] = original % layer.channels();
        }
        for (int kind = 0; kind < kinds; kind++) {
            for (int k = 0; k < ports; k++) {
                before(kind, k);
            }
        }
    }

    /** First column of a kind. */
    private int from(int kind) {
        return kinds == across || kind <= edge ? kind : across - kinds + kind;
    }

    /** Column after the last one of a kind. */
    private int to(int kind) {
        return kind == edge && kinds < across ? across - edge : from(kind) + 1;
    }

    private int kindOf(long pixel) {
        int at = (int) (pixel % across);
        if (kinds == across || at < edge) {
            return at;
        }
        return at >= across - edge ? at - across + kinds : edge;
    }

    /** Finds the port that most recently requested the same word. */
    private void before(int kind, int k) {
        int at = from(kind);
        lag[kind][k] = NEVER;
        if (column[k] >= (at == across - 1 ? layer.lastColumns() : layer.filterWidth())) {
            lag[kind][k] = -1;
            return;
        }
        for (int other = 0; other < ports; other++) {
            int down = row[k] - row[other];
            int right = column[k] - column[other];
            if (channel[k] != channel[other] || down % layer.strideHeight() != 0 || right % layer.strideWidth() != 0) {
                continue;
            }
            int there = at + right / layer.strideWidth();
            long ago = k - other - ((long) (down / layer.strideHeight()) * across + right / layer.strideWidth());
            boolean isBefore = ago > 0 || (ago == 0 && other < k);
            if (there >= 0 && there < across && isBefore && ago <= lag[kind][k]) {
                by[kind][k] = ago == lag[kind][k] ? Math.max(by[kind][k], other) : other;
                lag[kind][k] = ago;
            }
        }
    }

    /** Last cycle covered by the closed form. */
    long high() {
        return high;
    }

    /** Cycle of the last flush. */
    long cycle() {
        return cycle;
    }

    int port() {
        return port;
    }

    long flushes() {
        return flushes;
    }

    /**
     * Advances from a flush to the last flush in the covered range; returns false if the start is outside the range.
     */
    boolean advance(long fromCycle, int fromPort) {
        if (fromCycle < low || fromCycle >= high) {
            return false;
        }
        cycle = fromCycle;
        port = fromPort;
        flushes = 0;
        double rate = ports;
        while (fetched(high) >= capacity) {
            long next = next(rate);
            rate = Math.max(1, (double) capacity / (next - cycle + 1));
            toPort(next);
            flushes++;
            Optional<Recurrence.Visit> visit =
                    seen.visit(cycle % across * ports + port, new Recurrence.Visit(cycle, flushes));
            if (visit.isPresent()) {
                long span = cycle - visit.get().index();
                long times = span == 0 ? 0 : (high - cycle) / span;
                flushes += times * (flushes - visit.get().misses());
                cycle += times * span;
                seen.clear();
            }
        }
        return true;
    }

    /** Words fetched after the last flush, up to and including a cycle. */
    long fetched(long until) {
        long sum = 0;
        for (int kind = 0; kind < kinds; kind++) {
            int first = from(kind);
            int width = to(kind) - first;
            for (int k = 0; k < ports; k++) {
                long oldest = oldest(kind, k);
                long end = Math.min(until, cycle + oldest) - k;
                long start = cycle - k + (k > port ? 0 : 1);
                if (end >= start) {
                    sum += columns(end + 1, first, width) - columns(start, first, width);
                }
            }
        }
        return sum;
    }

    /** Cycles after the flush during which a port's requests miss; -1 if it requests no word. */
    private long oldest(int kind, int k) {
        long ago = lag[kind][k];
        return ago >= 0 && ago < NEVER && by[kind][k] > port ? ago - 1 : ago;
    }

    private long columns(long pixel, int first, int width) {
        return pixel / across * width + Math.max(0, Math.min(width, pixel % across - first));
    }

    /** Returns the cycle when the buffer is full again. */
    private long next(double guess) {
        long below = cycle - 1;
        long above = high;
        long known = 0;
        double rate = guess;
        for (int i = 0; above - below > 1; i++) {
            long at = i < GUESSES ? below + 1 + (long) ((capacity - known) / rate) : (below + above) / 2;
            at = Math.max(below + 1, Math.min(above - 1, at));
            long count = fetched(at);
            rate = Math.max(1.0 / across, (double) count / (at - cycle + 1));
            if (count >= capacity) {
                above = at;
            } else {
                below = at;
                known = count;
            }
        }
        return above;
    }

    /** Finds the port that fills the buffer in cycle {@code next}. */
    private void toPort(long next) {
        long count = next > cycle ? fetched(next - 1) : 0;
        int k = next > cycle ? -1 : port;
        while (count < capacity) {
            k++;
            if (next - cycle <= oldest(kindOf(next - k), k)) {
                count++;
            }
        }
        cycle = next;
        port = k;
    }
}
