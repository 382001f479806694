package dev.stagesim.stats;

import java.util.Arrays;

/** Sorts doubles by the digits of their bits, in linear time. */
final class RadixSort {
    private static final int DIGIT_BITS = 11;
    private static final int BUCKETS = 1 << DIGIT_BITS;
    private static final int DIGITS = (Long.SIZE + DIGIT_BITS - 1) / DIGIT_BITS;

    /** Minimum number of values that repay the counts of the digits. */
    private static final int MIN_VALUES = 1 << 13;

    private RadixSort() {}

    /** Returns a copy in the order of {@link Arrays#sort(double[])}. */
    static double[] sorted(double[] values) {
        double[] from = values.clone();
        if (from.length < MIN_VALUES) {
            Arrays.sort(from);
            return from;
        }
        int[][] counts = new int[DIGITS][BUCKETS];
        for (double value : from) {
            long key = key(value);
            for (int[] digit : counts) {
                digit[(int) key & (BUCKETS - 1)]++;
                key >>>= DIGIT_BITS;
            }
        }
        double[] to = new double[from.length];
        for (int digit = 0; digit < DIGITS; digit++) {
            int shift = digit * DIGIT_BITS;
            if (counts[digit][bucket(from[0], shift)] < from.length) {
                scatter(from, to, shift, counts[digit]);
                double[] next = from;
                from = to;
                to = next;
            }
        }
        return from;
    }

    /** Copies values to the places of their buckets. {@code places} has the sizes of the buckets. */
    private static void scatter(double[] from, double[] to, int shift, int[] places) {
        int at = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            int size = places[bucket];
            places[bucket] = at;
            at += size;
        }
        for (double value : from) {
            to[places[bucket(value, shift)]++] = value;
        }
    }

    private static int bucket(double value, int shift) {
        return (int) (key(value) >>> shift) & (BUCKETS - 1);
    }

    /** Returns the bits of a value as an unsigned number in the order of the values, NaN last. */
    private static long key(double value) {
        long bits = Double.doubleToLongBits(value);
        return bits ^ (bits >> (Long.SIZE - 1) | Long.MIN_VALUE);
    }
}
