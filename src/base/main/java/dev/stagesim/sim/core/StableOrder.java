package dev.stagesim.sim.core;

/**
 * Stable sorting of positions by the values at them.
 *
 * <p>A merge sort of natural runs: linear if the positions are nearly sorted, at most {@code n log n} comparisons, one copy
 * of the positions.
 */
public final class StableOrder {
    /** Compares the values at two positions. */
    @FunctionalInterface
    public interface Comparison {
        int compare(int first, int second);
    }

    private static final int SMALL = 12;

    private StableOrder() {}

    /** Returns the positions 0 to {@code size - 1} in order. */
    public static int[] of(int size, Comparison comparison) {
        int[] order = new int[size];
        for (int i = 0; i < size; i++) {
            order[i] = i;
        }
        sort(order, comparison);
        return order;
    }

    /** Returns the positions 0 to {@code size - 1} by ascending value. */
    public static int[] byValue(double[] values, int size) {
        return of(size, (a, b) -> Double.compare(values[a], values[b]));
    }

    /** Sorts positions in place. */
    public static void sort(int[] order, Comparison comparison) {
        int[] other = order.clone();
        sort(other, order, 0, order.length, comparison);
    }

    /** Sorts {@code from..to}, which is equal in both arrays, into {@code into}. */
    private static void sort(int[] source, int[] into, int from, int to, Comparison comparison) {
        if (to - from <= SMALL) {
            insertion(into, from, to, comparison);
            return;
        }
        int middle = (from + to) >>> 1;
        sort(into, source, from, middle, comparison);
        sort(into, source, middle, to, comparison);
        if (comparison.compare(source[middle - 1], source[middle]) <= 0) {
            System.arraycopy(source, from, into, from, to - from);
            return;
        }
        int left = from;
        int right = middle;
        for (int i = from; i < to; i++) {
            boolean takesLeft = right >= to || (left < middle && comparison.compare(source[left], source[right]) <= 0);
            into[i] = takesLeft ? source[left++] : source[right++];
        }
    }

    private static void insertion(int[] order, int from, int to, Comparison comparison) {
        for (int i = from + 1; i < to; i++) {
            int moved = order[i];
            int at = i;
            while (at > from && comparison.compare(order[at - 1], moved) > 0) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = moved;
        }
    }
}
