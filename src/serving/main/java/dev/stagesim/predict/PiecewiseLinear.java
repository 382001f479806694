package dev.stagesim.predict;

import java.util.Arrays;
import java.util.Comparator;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * Piecewise linear function through the median time at each size, with single outliers removed.
 *
 * <p>Below the minimum size it is constant. Above the maximum it continues with the slope of the chord from half the
 * maximum size to the maximum, but at least 0. Construction is O(n log n), evaluation O(log n).
 */
final class PiecewiseLinear {
    /** Two neighbours on each side and the point. */
    private static final int WINDOW = 5;

    private final double[] sizes;
    private final double[] times;
    private final double slopeBeyond;

    private PiecewiseLinear(double[] sizes, double[] times) {
        this.sizes = sizes;
        this.times = times;
        this.slopeBeyond = slope(sizes, times);
    }

    /**
     * Builds the function.
     *
     * @param outlierThreshold a point is discarded if it differs from the median of its five neighbours by more than
     *     the factor 1 + threshold; empty keeps every point
     */
    static PiecewiseLinear of(double[] sizes, double[] times, OptionalDouble outlierThreshold) {
        int[] order = IntStream.range(0, sizes.length)
                .boxed()
                .sorted(Comparator.<Integer>comparingDouble(i -> sizes[i]).thenComparingDouble(i -> times[i]))
                .mapToInt(Integer::intValue)
                .toArray();
        double[] x = new double[order.length];
        double[] y = new double[order.length];
        int n = 0;
        for (int from = 0; from < order.length; n++) {
            int to = from + 1;
            while (to < order.length && sizes[order[to]] == sizes[order[from]]) {
                to++;
            }
            x[n] = sizes[order[from]];
            int middle = (from + to - 1) / 2;
            y[n] = (times[order[middle]] + times[order[middle + (to - from - 1) % 2]]) / 2;
            from = to;
        }
        x = Arrays.copyOf(x, n);
        y = Arrays.copyOf(y, n);
        return outlierThreshold.isPresent()
                ? filtered(x, y, outlierThreshold.getAsDouble())
                : new PiecewiseLinear(x, y);
    }

    static PiecewiseLinear of(Curve curve, OptionalDouble outlierThreshold) {
        double[] x = new double[curve.rows()];
        double[] y = new double[curve.rows()];
        for (int i = 0; i < x.length; i++) {
            x[i] = curve.size(i);
            y[i] = curve.milliseconds(i);
        }
        return of(x, y, outlierThreshold);
    }

    private static PiecewiseLinear filtered(double[] x, double[] y, double threshold) {
        if (x.length < WINDOW) {
            return new PiecewiseLinear(x, y);
        }
        double[] keptX = new double[x.length];
        double[] keptY = new double[x.length];
        int kept = 0;
        for (int i = 0; i < x.length; i++) {
            if (!isOutlier(y, i, threshold)) {
                keptX[kept] = x[i];
                keptY[kept++] = y[i];
            }
        }
        return kept == 0
                ? new PiecewiseLinear(x, y)
                : new PiecewiseLinear(Arrays.copyOf(keptX, kept), Arrays.copyOf(keptY, kept));
    }

    /**
     * At both ends the window is one-sided, and only one direction counts: an early point above the median, or a late
     * point below it.
     */
    private static boolean isOutlier(double[] y, int i, double threshold) {
        int from = Math.max(0, Math.min(i - WINDOW / 2, y.length - WINDOW));
        double[] window = Arrays.copyOfRange(y, from, from + WINDOW);
        Arrays.sort(window);
        double median = window[WINDOW / 2];
        boolean low = y[i] * (1 + threshold) < median;
        boolean high = y[i] > median * (1 + threshold);
        if (i < from + WINDOW / 2) {
            return high;
        }
        return i > from + WINDOW / 2 ? low : low || high;
    }

    private static double slope(double[] x, double[] y) {
        int last = x.length - 1;
        int half = last;
        while (half > 0 && x[half] > x[last] / 2) {
            half--;
        }
        return x[half] < x[last] ? Math.max(0, (y[last] - y[half]) / (x[last] - x[half])) : 0;
    }

    double maxSize() {
        return sizes[sizes.length - 1];
    }

    /** Returns the distance from the minimum to the maximum size. */
    double span() {
        return maxSize() - sizes[0];
    }

    double slopeBeyond() {
        return slopeBeyond;
    }

    double at(double size) {
        return inside(size, slopeBeyond);
    }

    /** Returns the value at a size with a given slope below the minimum and beyond the maximum size, at least 0. */
    double at(double size, double slope) {
        if (size < sizes[0]) {
            return Math.max(0, times[0] - slope * (sizes[0] - size));
        }
        return inside(size, slope);
    }

    private double inside(double size, double slope) {
        int last = sizes.length - 1;
        if (size >= sizes[last]) {
            return times[last] + slope * (size - sizes[last]);
        }
        if (size <= sizes[0]) {
            return times[0];
        }
        int found = Arrays.binarySearch(sizes, size);
        if (found >= 0) {
            return times[found];
        }
        int above = -found - 1;
        double share = (size - sizes[above - 1]) / (sizes[above] - sizes[above - 1]);
        return times[above - 1] + share * (times[above] - times[above - 1]);
    }
}
