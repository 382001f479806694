package dev.stagesim.stats;

import java.util.Arrays;

/** Sorts doubles by the digits of their bits, in linear time. */
public final class RadixSort {
    private static final int DIGIT_BITS = 11;
    private static final int BUCKETS = 1 << DIGIT_BITS;
    private static final int DIGITS = (Long.SIZE + DIGIT_BITS - 1) / DIGIT_BITS;

    /** Minimum number of values that repay the counts of the digits. */
    private static final int MIN_VALUES = 1 << 13;

    private RadixSort() {}

    /**
     * Returns the first {@code count} values in the order of {@link Arrays#sort(double[])}. Overwrites {@code values}.
     *
     * <p><b>Caveat:</b> no value is NaN.
     */
    public static double[] sorted(double[] values, int count) {
        if (count < MIN_VALUES) {
            double[] few = Arrays.copyOf(values, count);
            Arrays.sort(few);
            return few;
        }
        int[][] counts = new int[DIGITS][BUCKETS];
        for (int i = 0; i < count; i++) {
            long key = key(values[i]);
            for (int[] digit : counts) {
                digit[(int) key & (BUCKETS - 1)]++;
                key >>>= DIGIT_BITS;
            }
        }
        double[] from = values;
        double[] to = new double[count];
        for (int digit = 0; digit < DIGITS; digit++) {
            int shift = digit * DIGIT_BITS;
            if (counts[digit][bucket(from[0], shift)] < count) {
                scatter(from, to, count, shift, counts[digit]);
                double[] next = from;
                from = to;
                to = next;
            }
        }
        return from.length == count ? from : Arrays.copyOf(from, count);
    }

    /** Copies values to the places of their buckets. {@code places} has the sizes of the buckets. */
    private static void scatter(double[] from, double[] to, int count, int shift, int[] places) {
        int at = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            int size = places[bucket];
            places[bucket] = at;
            at += size;
        }
        for (int i = 0; i < count; i++) {
            to[places[bucket(from[i], shift)]++] = from[i];
        }
    }

    private static int bucket(double value, int shift) {
        return (int) (key(value) >>> shift) & (BUCKETS - 1);
    }

    /** Returns the bits of a value as an unsigned number in the order of the values. */
    private static long key(double value) {
        long bits = Double.doubleToRawLongBits(value);
        return bits ^ (bits >> (Long.SIZE - 1) | Long.MIN_VALUE);
    }
}
