package dev.stagesim.stats;

/** Distances between two samples seen as distributions; sizes may differ. */
public final class Distances {
    private Distances() {}

    /** Kolmogorov-Smirnov statistic: the greatest gap between the two empirical distribution functions, in [0, 1]. */
    public static double kolmogorovSmirnov(double[] a, double[] b) {
        double[] x = Quantiles.sorted(a);
        double[] y = Quantiles.sorted(b);
        need(x, y);
        int i = 0;
        int j = 0;
        double greatest = 0;
        while (i < x.length && j < y.length) {
            double at = Math.min(x[i], y[j]);
            while (i < x.length && x[i] <= at) {
                i++;
            }
            while (j < y.length && y[j] <= at) {
                j++;
            }
            greatest = Math.max(greatest, Math.abs((double) i / x.length - (double) j / y.length));
        }
        return greatest;
    }

    /**
     * Wasserstein-1 (earth mover's) distance: the area between the two distribution functions, in the unit of the
     * values.
     */
    public static double wasserstein1(double[] a, double[] b) {
        double[] x = Quantiles.sorted(a);
        double[] y = Quantiles.sorted(b);
        need(x, y);
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

    private static void need(double[] x, double[] y) {
        if (x.length == 0 || y.length == 0) {
            throw new IllegalArgumentException("no values");
        }
    }
}
