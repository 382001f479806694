package dev.stagesim.stage.vidursim;

import java.util.Arrays;

/**
 * A quantity over time in at most 240 bins of equal width; the width doubles whenever time runs past the last bin, so
 * that memory does not grow with the run.
 */
final class TimeBins {
    static final int MOST = 240;
    private static final double FIRST_WIDTH = 1e-5;
    private static final double EDGE = 1e-6;

    private final double start;
    private final double[] sum = new double[MOST];
    private final double[] greatest = new double[MOST];
    private final long[] count = new long[MOST];
    private double width = FIRST_WIDTH;
    private int used;
    private int lastBin;

    /** Times that are certainly in the last bin that was asked for: all but its very edges. */
    private double fromTime = Double.POSITIVE_INFINITY;

    private double toTime;

    /** Bins from {@code start}, in seconds. */
    TimeBins(double start) {
        this.start = start;
    }

    /** Adds a sample; times never lie before the start. */
    void add(double time, double value) {
        int bin = bin(time);
        sum[bin] += value;
        greatest[bin] = count[bin] == 0 ? value : Math.max(greatest[bin], value);
        count[bin]++;
    }

    /** Adds the length of a stretch of time to the bins it lies in. */
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

    /** Makes room for a time without adding anything. */
    void reach(double time) {
        bin(time);
    }

    /** A time in the last bin that was reached. */
    double lastTime() {
        return start + Math.max(0, used - 0.5) * width;
    }

    private int bin(double time) {
        if (time > fromTime && time < toTime) {
            return lastBin;
        }
        double place = (time - start) / width;
        while (place >= MOST) {
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
        for (int i = 0; i < MOST / 2; i++) {
            int a = 2 * i;
            greatest[i] = Math.max(greatest[a], greatest[a + 1]);
            sum[i] = sum[a] + sum[a + 1];
            count[i] = count[a] + count[a + 1];
        }
        Arrays.fill(sum, MOST / 2, MOST, 0);
        Arrays.fill(greatest, MOST / 2, MOST, 0);
        Arrays.fill(count, MOST / 2, MOST, 0);
        used = (used + 1) / 2;
        fromTime = Double.POSITIVE_INFINITY;
        width *= 2;
    }

    int size() {
        return used;
    }

    /** Begin of a bin in seconds since the start. */
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
        return greatest[bin];
    }

    /** Share of a bin that spans cover, 0 to 1. */
    double share(int bin) {
        return Math.min(1, sum[bin] / width);
    }

    double total() {
        return Arrays.stream(sum).sum();
    }
}
