package dev.stagesim.predict;

import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * Attention times by bilinear interpolation: along the KV length on each line of equal count, then between the two
 * nearest lines.
 *
 * <p>AttentionSurface are tabulated at multiples of the KV granularity, so a look-up is a few array reads. Beyond its measured KV
 * lengths a line continues, at least at 0, with its slope if it spans a quarter of all measured lengths, and otherwise
 * with the slope of the nearest line that does, scaled by the counts. Below the minimum count, the time of the minimum
 * applies. Above the maximum, the slope between the last line and the last line with at most half its count continues.
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
        PiecewiseLinear[] knots = new PiecewiseLinear[counts.length];
        for (int i = 0; i < counts.length; i++) {
            knots[i] = line(surface, counts[i], outlierThreshold);
        }
        double span =
                Arrays.stream(knots).mapToDouble(PiecewiseLinear::span).max().orElse(0) / 4;
        double[][] table = new double[counts.length][maxKv / granularity + 1];
        for (int i = 0; i < counts.length; i++) {
            double slope = slope(knots, counts, i, span);
            for (int k = 0; k < table[i].length; k++) {
                table[i][k] = knots[i].at((double) k * granularity, slope);
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

    private static double slope(PiecewiseLinear[] knots, int[] counts, int line, double span) {
        for (int away = 0; away < knots.length; away++) {
            for (int other : new int[] {line - away, line + away}) {
                if (other >= 0 && other < knots.length && knots[other].span() >= span) {
                    return knots[other].slopeBeyond() * counts[line] / counts[other];
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

    /** Time at a KV length, which must be a multiple of the granularity, and a count. */
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
