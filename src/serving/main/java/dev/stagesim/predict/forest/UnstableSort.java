package dev.stagesim.predict.forest;

/**
 * The sort that determines the order of summation of rows with equal values, as in scikit-learn: quicksort with a
 * three-way partition around the median of three, and heapsort beyond a depth limit.
 *
 * <p>It is not stable, and the rounding of sums depends on the resulting order, so every exchange matters. An entry has
 * a non-negative value in its upper half, as float bits, and a row in its lower half; only the value is compared.
 */
final class UnstableSort {
    private static final double LN_2 = StrictMath.log(2);

    private UnstableSort() {}

    static long entry(float value, int row) {
        return (long) Float.floatToRawIntBits(value) << Integer.SIZE | row;
    }

    static int row(long entry) {
        return (int) entry;
    }

    static float value(long entry) {
        return Float.intBitsToFloat(bits(entry));
    }

    /** The bits of non-negative floats have the order of the floats. */
    private static int bits(long entry) {
        return (int) (entry >>> Integer.SIZE);
    }

    static void sort(long[] entries, int from, int to) {
        int n = to - from;
        if (n > 1) {
            sort(entries, from, to, 2 * (int) (StrictMath.log(n) / LN_2));
        }
    }

    private static void sort(long[] entries, int from, int to, int depthLeft) {
        int start = from;
        int depth = depthLeft;
        while (to - start > 1) {
            if (depth <= 0) {
                heapSort(entries, start, to - start);
                return;
            }
            depth--;
            int pivot = medianOfThree(entries, start, to - start);
            int at = start;
            int less = start;
            int greater = to;
            while (at < greater) {
                int value = bits(entries[at]);
                if (value < pivot) {
                    swap(entries, at++, less++);
                } else if (value > pivot) {
                    swap(entries, at, --greater);
                } else {
                    at++;
                }
            }
            sort(entries, start, less, depth);
            start = greater;
        }
    }

    private static int medianOfThree(long[] entries, int from, int n) {
        int a = bits(entries[from]);
        int b = bits(entries[from + n / 2]);
        int c = bits(entries[from + n - 1]);
        return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    }

    private static void heapSort(long[] entries, int from, int n) {
        for (int root = (n - 2) / 2; root >= 0; root--) {
            siftDown(entries, from, root, n);
        }
        for (int end = n - 1; end > 0; end--) {
            swap(entries, from, from + end);
            siftDown(entries, from, 0, end);
        }
    }

    private static void siftDown(long[] entries, int from, int top, int n) {
        int root = top;
        while (true) {
            int max = root;
            int child = 2 * root + 1;
            if (child < n && bits(entries[from + max]) < bits(entries[from + child])) {
                max = child;
            }
            if (child + 1 < n && bits(entries[from + max]) < bits(entries[from + child + 1])) {
                max = child + 1;
            }
            if (max == root) {
                return;
            }
            swap(entries, from + root, from + max);
            root = max;
        }
    }

    private static void swap(long[] entries, int a, int b) {
        long swapped = entries[a];
        entries[a] = entries[b];
        entries[b] = swapped;
    }
}
