package dev.stagesim.predict;

import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * Attention times by bilinear interpolation. A line contains the measurements with one count. The interpolation runs
 * along the KV length on the two nearest lines, then between these lines.
 *
 * <p>The lines are tabulated at multiples of the KV granularity, so a look-up is a few array reads. Beyond its measured
 * KV lengths, a line continues with its slope, and never below 0. A line that spans less than a quarter of the measured
 * lengths uses the slope of the nearest longer line, scaled by the counts. Below the minimum count, the time of the
 * minimum count applies. Above the maximum count, the slope between the last line and the one at half its count applies.
 */
final class AttentionSurface {
    private final int granularity;
    private final int maxKv;
    /** Line at or below each count, limited so that a line above it exists. */
    private final int[] lower;
    /** Weight of the line above; more than 1 beyond the measured counts. */
    private final double[] weight;

    private final int[] upper;
    private final double[][] table;

    private AttentionSurface(int granularity, int maxKv, double[][] table, int[] lower, int[] upper, double[] weight) {
        this.granularity = granularity;
        this.maxKv = maxKv;
        this.table = table;
        this.lower = lower;
        this.upper = upper;
        this.weight = weight;
    }

    /** Tabulates a surface for KV lengths up to {@code maxKv} and counts up to {@code maxCount}. */
    static AttentionSurface of(
            Surface surface, int granularity, int maxKv, int maxCount, OptionalDouble outlierThreshold) {
        int[] counts = counts(surface);
        PiecewiseLinear[] lines = new PiecewiseLinear[counts.length];
        for (int i = 0; i < counts.length; i++) {
            lines[i] = line(surface, counts[i], outlierThreshold);
        }
        double span =
                Arrays.stream(lines).mapToDouble(PiecewiseLinear::span).max().orElse(0) / 4;
        double[][] table = new double[counts.length][maxKv / granularity + 1];
        for (int i = 0; i < counts.length; i++) {
            double slope = slope(lines, counts, i, span);
            for (int k = 0; k < table[i].length; k++) {
                table[i][k] = lines[i].at((double) k * granularity, slope);
            }
        }
        int[] lower = new int[maxCount + 1];
        int[] upper = new int[maxCount + 1];
        double[] weight = new double[maxCount + 1];
        for (int count = 0; count <= maxCount; count++) {
            place(counts, count, lower, upper, weight);
        }
        return new AttentionSurface(granularity, maxKv, table, lower, upper, weight);
    }

    private static int[] counts(Surface surface) {
        int[] all = new int[surface.rows()];
        for (int i = 0; i < all.length; i++) {
            all[i] = surface.count(i);
        }
        return Arrays.stream(all).sorted().distinct().toArray();
    }

    private static PiecewiseLinear line(Surface surface, int count, OptionalDouble outlierThreshold) {
        double[] kv = new double[surface.rows()];
        double[] ms = new double[surface.rows()];
        int n = 0;
        for (int i = 0; i < surface.rows(); i++) {
            if (surface.count(i) == count) {
                kv[n] = surface.kvTokens(i);
                ms[n++] = surface.milliseconds(i);
            }
        }
        return PiecewiseLinear.of(Arrays.copyOf(kv, n), Arrays.copyOf(ms, n), outlierThreshold);
    }

    private static double slope(PiecewiseLinear[] lines, int[] counts, int line, double span) {
        for (int away = 0; away < lines.length; away++) {
            for (int other : new int[] {line - away, line + away}) {
                if (other >= 0 && other < lines.length && lines[other].span() >= span) {
                    return lines[other].slopeBeyond() * counts[line] / counts[other];
                }
            }
        }
        throw new IllegalStateException("no line spans its lengths");
    }

    private static void place(int[] counts, int count, int[] lower, int[] upper, double[] weight) {
        int last = counts.length - 1;
        if (count <= counts[0] || last == 0) {
            return;
        }
        int above = count > counts[last] ? last : Arrays.binarySearch(counts, count);
        above = above >= 0 ? above : -above - 1;
        int below = above - 1;
        while (count > counts[last] && below > 0 && counts[below] > counts[last] / 2) {
            below--;
        }
        lower[count] = below;
        upper[count] = above;
        weight[count] = (double) (count - counts[below]) / (counts[above] - counts[below]);
    }

    /** Returns the time at a KV length, which must be a multiple of the granularity, and a count. */
    double at(int kvTokens, int count) {
        if (kvTokens % granularity != 0 || kvTokens > maxKv) {
            throw new IllegalStateException("KV length " + kvTokens + " is not a multiple of " + granularity);
        }
        int k = kvTokens / granularity;
        double low = table[lower[count]][k];
        double high = table[upper[count]][k];
        double w = weight[count];
        if (w == 1 || (w > 1 && high < low)) {
            return high;
        }
        return low + w * (high - low);
    }
}
