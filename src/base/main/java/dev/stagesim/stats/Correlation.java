package dev.stagesim.stats;

import java.util.Arrays;
import java.util.Comparator;
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/** Correlation of paired values; empty if either side is constant or there are fewer than two pairs. */
public final class Correlation {
    private Correlation() {}

    /** Pearson's linear correlation. */
    public static OptionalDouble pearson(double[] a, double[] b) {
        need(a, b);
        if (a.length < 2) {
            return OptionalDouble.empty();
        }
        double meanA = Moments.mean(a);
        double meanB = Moments.mean(b);
        double both = 0;
        double ofA = 0;
        double ofB = 0;
        for (int i = 0; i < a.length; i++) {
            both += (a[i] - meanA) * (b[i] - meanB);
            ofA += (a[i] - meanA) * (a[i] - meanA);
            ofB += (b[i] - meanB) * (b[i] - meanB);
        }
        return ofA == 0 || ofB == 0 ? OptionalDouble.empty() : OptionalDouble.of(clamp(both / Math.sqrt(ofA * ofB)));
    }

    /** Spearman's rank correlation; ties share their mean rank. */
    public static OptionalDouble spearman(double[] a, double[] b) {
        need(a, b);
        return pearson(ranks(a), ranks(b));
    }

    /** Kendall's tau-b, which accounts for ties; O(n log n). */
    public static OptionalDouble kendall(double[] a, double[] b) {
        need(a, b);
        int n = a.length;
        Integer[] order = IntStream.range(0, n).boxed().toArray(Integer[]::new);
        Arrays.sort(order, Comparator.<Integer>comparingDouble(i -> a[i]).thenComparingDouble(i -> b[i]));
        double[] x = IntStream.range(0, n).mapToDouble(i -> a[order[i]]).toArray();
        double[] y = IntStream.range(0, n).mapToDouble(i -> b[order[i]]).toArray();
        long pairs = (long) n * (n - 1) / 2;
        long tiedX = tied(x);
        long tiedBoth = 0;
        for (int start = 0, end = 0; start < n; start = end) {
            while (end < n && x[end] == x[start]) {
                end++;
            }
            double[] block = Arrays.copyOfRange(y, start, end);
            tiedBoth += tied(block);
        }
        long swaps = inversions(y, new double[n], 0, n);
        long tiedY = tied(y);
        double below = Math.sqrt((double) (pairs - tiedX) * (pairs - tiedY));
        double above = (double) (pairs - tiedX - tiedY + tiedBoth) - 2.0 * swaps;
        return below == 0 ? OptionalDouble.empty() : OptionalDouble.of(clamp(above / below));
    }

    /** Number of pairs with equal values in a sorted array. */
    private static long tied(double[] sorted) {
        long pairs = 0;
        for (int start = 0, end = 0; start < sorted.length; start = end) {
            while (end < sorted.length && sorted[end] == sorted[start]) {
                end++;
            }
            long run = (long) end - start;
            pairs += run * (run - 1) / 2;
        }
        return pairs;
    }

    /** Merge sort of {@code values[from, to)}; returns the number of inversions. */
    private static long inversions(double[] values, double[] spare, int from, int to) {
        if (to - from < 2) {
            return 0;
        }
        int middle = (from + to) >>> 1;
        long count = inversions(values, spare, from, middle) + inversions(values, spare, middle, to);
        int left = from;
        int right = middle;
        for (int at = from; at < to; at++) {
            if (right == to || (left < middle && values[left] <= values[right])) {
                spare[at] = values[left++];
            } else {
                count += middle - left;
                spare[at] = values[right++];
            }
        }
        System.arraycopy(spare, from, values, from, to - from);
        return count;
    }

    /** Ranks from 1; equal values have their mean rank. */
    static double[] ranks(double[] values) {
        Integer[] order = IntStream.range(0, values.length).boxed().toArray(Integer[]::new);
        Arrays.sort(order, Comparator.comparingDouble(i -> values[i]));
        double[] ranks = new double[values.length];
        for (int start = 0, end = 0; start < order.length; start = end) {
            while (end < order.length && values[order[end]] == values[order[start]]) {
                end++;
            }
            double shared = (start + 1 + end) / 2.0;
            for (int i = start; i < end; i++) {
                ranks[order[i]] = shared;
            }
        }
        return ranks;
    }

    private static double clamp(double value) {
        return Math.max(-1, Math.min(1, value));
    }

    private static void need(double[] a, double[] b) {
        if (a.length != b.length) {
            throw new IllegalArgumentException("pairs of " + a.length + " and " + b.length);
        }
    }
}
