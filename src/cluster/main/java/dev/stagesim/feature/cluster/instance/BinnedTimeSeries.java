package dev.stagesim.feature.cluster.instance;

import java.util.Arrays;

/** Integrals of piecewise-constant signals over time bins of equal width. The width doubles when the bins are full. */
public final class BinnedTimeSeries {
    static final int BINS = 256;

    private final double[][] sums;
    private double width = 1.0 / 64;
    private int used;

    /** Creates {@code signals} signals that are 0. */
    public BinnedTimeSeries(int signals) {
        sums = new double[signals][2 * BINS];
    }

    /** Adds an interval of constant value. */
    public void add(int signal, double from, double to, double value) {
        if (value == 0 || !(to > from)) {
            return;
        }
        while (to > 2 * BINS * width) {
            widen();
        }
        // widths are powers of two, so their inverses are exact
        double perSecond = 1 / width;
        int first = (int) (from * perSecond);
        int last = Math.min(2 * BINS - 1, (int) (to * perSecond));
        used = Math.max(used, last + 1);
        if (first == last) {
            sums[signal][first] += value * (to - from);
            return;
        }
        for (int bin = first; bin <= last; bin++) {
            double part = Math.min(to, (bin + 1) * width) - Math.max(from, bin * width);
            sums[signal][bin] += value * Math.max(0, part);
        }
    }

    /** Creates an empty series of the same signals. */
    public BinnedTimeSeries empty() {
        return new BinnedTimeSeries(sums.length);
    }

    /** Adds another series of the same signals. Widens the bins of the narrower one. */
    public void add(BinnedTimeSeries others) {
        while (width < others.width) {
            widen();
        }
        while (others.width < width) {
            others.widen();
        }
        used = Math.max(used, others.used);
        for (int signal = 0; signal < sums.length; signal++) {
            for (int bin = 0; bin < used; bin++) {
                sums[signal][bin] += others.sums[signal][bin];
            }
        }
    }

    private void widen() {
        for (double[] sum : sums) {
            for (int i = 0; i < BINS; i++) {
                sum[i] = sum[2 * i] + sum[2 * i + 1];
            }
            Arrays.fill(sum, BINS, 2 * BINS, 0);
        }
        used = (used + 1) / 2;
        width *= 2;
    }

    /** Returns the number of bins up to the last interval. */
    public int size() {
        return used;
    }

    public double width() {
        return width;
    }

    /** Returns the mean of a signal in a bin. */
    public double mean(int signal, int bin) {
        return sums[signal][bin] / width;
    }
}
