package dev.stagesim.sim.systolic;

import java.util.Arrays;

/**
 * Iteration order of a CPython set of integers (open addressing with linear probes and perturbation), which the
 * reference uses.
 */
final class PythonSetOrder {
    private static final int LINEAR_PROBES = 9;
    private static final int PERTURB_SHIFT = 5;
    private static final int SMALLEST = 8;
    private static final int LARGE = 50_000;
    private static final long EMPTY = -1;

    private long[] table = new long[SMALLEST];
    private int used;

    PythonSetOrder() {
        Arrays.fill(table, EMPTY);
    }

    /** Adds a non-negative number; returns true if it is new. */
    boolean add(long number) {
        int slot = find(table, number);
        if (table[slot] == number) {
            return false;
        }
        table[slot] = number;
        used++;
        if (used * 5L >= (table.length - 1) * 3L) {
            grow(used > LARGE ? used * 2L : used * 4L);
        }
        return true;
    }

    /** Returns the numbers in iteration order. */
    long[] toArray() {
        long[] out = new long[used];
        int at = 0;
        for (long number : table) {
            if (number != EMPTY) {
                out[at++] = number;
            }
        }
        return out;
    }

    private void grow(long wanted) {
        long size = SMALLEST;
        while (size <= wanted) {
            size *= 2;
        }
        long[] larger = new long[Math.toIntExact(size)];
        Arrays.fill(larger, EMPTY);
        for (long number : table) {
            if (number != EMPTY) {
                larger[find(larger, number)] = number;
            }
        }
        table = larger;
    }

    private static int find(long[] table, long number) {
        int mask = table.length - 1;
        long perturb = number;
        int slot = (int) (number & mask);
        while (true) {
            int last = slot + LINEAR_PROBES <= mask ? slot + LINEAR_PROBES : slot;
            for (int i = slot; i <= last; i++) {
                if (table[i] == EMPTY || table[i] == number) {
                    return i;
                }
            }
            perturb >>>= PERTURB_SHIFT;
            slot = (int) ((slot * 5L + 1 + perturb) & mask);
        }
    }
}
