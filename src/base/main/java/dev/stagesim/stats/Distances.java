package dev.stagesim.stats;

/**
 * Distances between two samples as distributions; sizes may differ.
 *
 * <p>Values must be sorted ascending and are not copied: O(n + m) time, no memory.
 */
public final class Distances {
    private Distances() {}

    /** Kolmogorov-Smirnov statistic: the maximum difference of the two empirical distribution functions, in [0, 1]. */
    public static double kolmogorovSmirnov(double[] x, double[] y) {
        need(x);
        need(y);
        int i = 0;
        int j = 0;
        double max = 0;
        while (i < x.length && j < y.length) {
            double at = Math.min(x[i], y[j]);
            while (i < x.length && x[i] <= at) {
                i++;
            }
            while (j < y.length && y[j] <= at) {
                j++;
            }
            max = Math.max(max, Math.abs((double) i / x.length - (double) j / y.length));
        }
        return max;
    }

    /**
     * Wasserstein-1 (earth mover's) distance: the area between the two distribution functions, in the unit of the
     * values.
     */
    public static double wasserstein1(double[] x, double[] y) {
        need(x);
        need(y);
        int i = 0;
        int j = 0;
        double area = 0;
        double last = Math.min(x[0], y[0]);
        while (i < x.length || j < y.length) {
            boolean fromX = j == y.length || (i < x.length && x[i] <= y[j]);
            double at = fromX ? x[i] : y[j];
            area += (at - last) * Math.abs((double) i / x.length - (double) j / y.length);
            last = at;
            if (fromX) {
                i++;
            } else {
                j++;
            }
        }
        return area;
    }

    private static void need(double[] sorted) {
        if (sorted.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i - 1] > sorted[i]) {
                throw new IllegalArgumentException("values are not sorted: " + sorted[i] + " after " + sorted[i - 1]);
            }
        }
    }
}
