package dev.stagesim.stage.vidursim;

import java.util.Arrays;

/**
 * A quantity over time in at most 240 bins of equal width. The width doubles when time exceeds the last bin, so that
 * memory is constant.
 */
final class TimeBins {
    static final int MAX = 240;
    private static final double FIRST_WIDTH = 1e-5;
    private static final double EDGE = 1e-6;

    private final double start;
    private final double[] sum = new double[MAX];
    private final double[] maxima = new double[MAX];
    private final long[] count = new long[MAX];
    private double width = FIRST_WIDTH;
    private int used;
    private int lastBin;

    /** Interval of times that are certainly in the last used bin: the bin without its edges. */
    private double fromTime = Double.POSITIVE_INFINITY;

    private double toTime;

    /** Creates bins from {@code start}, in seconds. */
    TimeBins(double start) {
        this.start = start;
    }

    /** Adds a sample; times must not be before the start. */
    void add(double time, double value) {
        int bin = bin(time);
        sum[bin] += value;
        maxima[bin] = count[bin] == 0 ? value : Math.max(maxima[bin], value);
        count[bin]++;
    }

    /** Adds the length of an interval to the bins that it covers. */
    void addSpan(double from, double to) {
        int last = bin(to);
        if (from > fromTime && from <= to && to < toTime) {
            sum[last] += to - from;
            count[last]++;
            return;
        }
        for (int bin = bin(from); bin <= last; bin++) {
            double begin = Math.max(from, start + bin * width);
            double end = Math.min(to, start + (bin + 1) * width);
            sum[bin] += Math.max(0, end - begin);
            count[bin]++;
        }
    }

    /** Extends the bins to a time without adding a sample. */
    void reach(double time) {
        bin(time);
    }

    /** Returns a time in the last bin. */
    double lastTime() {
        return start + Math.max(0, used - 0.5) * width;
    }

    private int bin(double time) {
        if (time > fromTime && time < toTime) {
            return lastBin;
        }
        double place = (time - start) / width;
        while (place >= MAX) {
            fold();
            place = (time - start) / width;
        }
        lastBin = Math.max(0, (int) place);
        used = Math.max(used, lastBin + 1);
        double edge = EDGE * width + 4 * Math.ulp(time);
        fromTime = start + lastBin * width + edge;
        toTime = start + (lastBin + 1) * width - edge;
        return lastBin;
    }

    private void fold() {
        for (int i = 0; i < MAX / 2; i++) {
            int a = 2 * i;
            maxima[i] = Math.max(maxima[a], maxima[a + 1]);
            sum[i] = sum[a] + sum[a + 1];
            count[i] = count[a] + count[a + 1];
        }
        Arrays.fill(sum, MAX / 2, MAX, 0);
        Arrays.fill(maxima, MAX / 2, MAX, 0);
        Arrays.fill(count, MAX / 2, MAX, 0);
        used = (used + 1) / 2;
        fromTime = Double.POSITIVE_INFINITY;
        width *= 2;
    }

    int size() {
        return used;
    }

    /** Returns the start of a bin in seconds since the first bin. */
    double from(int bin) {
        return bin * width;
    }

    boolean hasSamples(int bin) {
        return count[bin] > 0;
    }

    double mean(int bin) {
        return sum[bin] / count[bin];
    }

    double sum(int bin) {
        return sum[bin];
    }

    double greatest(int bin) {
        return maxima[bin];
    }

    /** Returns the share of a bin that intervals cover, 0 to 1. */
    double share(int bin) {
        return Math.min(1, sum[bin] / width);
    }

    double total() {
        return Arrays.stream(sum).sum();
    }
}
