package dev.stagesim.sim.collective;

import java.util.Arrays;

/** A binary min-heap of ints; O(log n) per operation. */
final class IntHeap {
    private static final int[] EMPTY = {};

    private int[] items = EMPTY;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** Returns the minimum; the heap must not be empty. */
    int first() {
        return items[0];
    }

    void add(int item) {
        if (size == items.length) {
            items = Arrays.copyOf(items, Math.max(2, size * 2));
        }
        int hole = size++;
        while (hole > 0) {
            int parent = (hole - 1) >>> 1;
            if (items[parent] <= item) {
                break;
            }
            items[hole] = items[parent];
            hole = parent;
        }
        items[hole] = item;
    }

    /** Removes and returns the minimum; the heap must not be empty. */
    int take() {
        int first = items[0];
        int last = items[--size];
        int hole = 0;
        int child = 1;
        while (child < size) {
            if (child + 1 < size && items[child + 1] < items[child]) {
                child++;
            }
            if (items[child] >= last) {
                break;
            }
            items[hole] = items[child];
            hole = child;
            child = 2 * hole + 1;
        }
        if (size > 0) {
            items[hole] = last;
        }
        return first;
    }
}
