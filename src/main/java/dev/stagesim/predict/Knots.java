package dev.stagesim.predict;

import java.util.Arrays;
import java.util.Comparator;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * Piecewise linear function through the median time at each size, with single outliers left out.
 *
 * <p>Below the least size it is constant; above the greatest it goes on with the slope of the chord from the median
 * size to the greatest, which is never taken as negative. Building is O(n log n), evaluating O(log n).
 */
final class Knots {
    /** Neighbours on both sides and the point itself. */
    private static final int WINDOW = 5;

    private final double[] sizes;
    private final double[] times;
    private final double slopeBeyond;

    private Knots(double[] sizes, double[] times) {
        this.sizes = sizes;
        this.times = times;
        this.slopeBeyond = slope(sizes, times);
    }

    /**
     * Builds the function.
     *
     * @param outlierThreshold a point further than the factor 1 + threshold from the median of its five neighbours is
     *     left out; empty keeps every point
     */
    static Knots of(double[] sizes, double[] times, OptionalDouble outlierThreshold) {
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
        return outlierThreshold.isPresent() ? filtered(x, y, outlierThreshold.getAsDouble()) : new Knots(x, y);
    }

    static Knots of(Curve curve, OptionalDouble outlierThreshold) {
        double[] x = new double[curve.rows()];
        double[] y = new double[curve.rows()];
        for (int i = 0; i < x.length; i++) {
            x[i] = curve.size(i);
            y[i] = curve.milliseconds(i);
        }
        return of(x, y, outlierThreshold);
    }

    private static Knots filtered(double[] x, double[] y, double threshold) {
        if (x.length < WINDOW) {
            return new Knots(x, y);
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
        return kept == 0 ? new Knots(x, y) : new Knots(Arrays.copyOf(keptX, kept), Arrays.copyOf(keptY, kept));
    }

    /**
     * At the two ends, where the window is one-sided, only a point on the wrong side of it is an outlier: a first point
     * above the five least sizes or a last one below the five greatest.
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

    double greatest() {
        return sizes[sizes.length - 1];
    }

    /** Distance from the least to the greatest size. */
    double span() {
        return greatest() - sizes[0];
    }

    double slopeBeyond() {
        return slopeBeyond;
    }

    double at(double size) {
        return inside(size, slopeBeyond);
    }

    /** Value with a slope both below the least and beyond the greatest size, never less than 0. */
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
