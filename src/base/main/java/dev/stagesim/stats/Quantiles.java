package dev.stagesim.stats;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Sample quantiles by linear interpolation between order statistics, Hyndman and Fan's type 7 (NumPy's default).
 *
 * <p>With n sorted values x[0..n-1], the quantile q has position h = (n - 1) q and value x[floor h] + (h - floor h)
 * (x[floor h + 1] - x[floor h]).
 */
public final class Quantiles {
    public static final String METHOD = "linear_r7";

    /** Minimum expected number of values beyond a quantile for a reliable tail estimate. */
    static final double MIN_BEYOND = 10;

    private Quantiles() {}

    /**
     * Returns the quantile {@code q} in [0, 1] of values sorted ascending.
     *
     * @throws IllegalArgumentException if there are no values or q is out of range
     */
    public static double ofSorted(double[] sorted, double q) {
        if (sorted.length == 0) {
            throw new IllegalArgumentException("no values");
        }
        double position = position(sorted.length, q);
        int below = (int) position;
        double weight = position - below;
        return weight == 0 ? sorted[below] : sorted[below] + weight * (sorted[below + 1] - sorted[below]);
    }

    /** Returns the quantile {@code q} of unsorted values, without changing them. */
    public static double of(double[] values, double q) {
        return ofSorted(sorted(values), q);
    }

    /** Returns a copy in the order of {@link Arrays#sort(double[])}. */
    public static double[] sorted(double[] values) {
        return RadixSort.sorted(values);
    }

    /** Returns {@code size} non-negative lengths in ascending order. Counting is faster than sorting, because lengths repeat. */
    public static double[] sortedLengths(int size, IntUnaryOperator length) {
        double[] sorted = new double[size];
        Arrays.setAll(sorted, length::applyAsInt);
        double max = Arrays.stream(sorted).max().orElse(0);
        if (max >= size) {
            Arrays.sort(sorted);
            return sorted;
        }
        int[] counts = new int[(int) max + 1];
        for (double value : sorted) {
            counts[(int) value]++;
        }
        int at = 0;
        for (int value = 0; value < counts.length; value++) {
            Arrays.fill(sorted, at, at + counts[value], value);
            at += counts[value];
        }
        return sorted;
    }

    /** True if at least {@value #MIN_BEYOND} of {@code n} values are expected beyond the quantile: n (1 - q). */
    public static boolean reliable(long n, double q) {
        // 1 - 0.9 is slightly below 0.1 in binary; 100 values do support a P90
        return n * (1 - q) >= MIN_BEYOND - 1e-6;
    }

    static double position(int n, double q) {
        if (!(q >= 0 && q <= 1)) {
            throw new IllegalArgumentException("quantile " + q + " is not in [0, 1]");
        }
        return (n - 1) * q;
    }
}
