package dev.stagesim.feature.pytorch.convert;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Dependencies per node, in insertion order.
 *
 * <p>Linked lists in arrays: adding is linear in the length of the list, and allocates only when the arrays grow.
 */
final class DepLists {
    private static final int END = -1;

    private final int[] first;
    private final int[] last;
    private int[] next = new int[1024];
    private long[] ids = new long[1024];
    private int size;

    DepLists(int nodes) {
        first = new int[nodes];
        last = new int[nodes];
        Arrays.fill(first, END);
        Arrays.fill(last, END);
    }

    /** Adds a dependency unless the node already has it. */
    void add(int node, long id) {
        for (int at = first[node]; at != END; at = next[at]) {
            if (ids[at] == id) {
                return;
            }
        }
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, size * 2);
            next = Arrays.copyOf(next, size * 2);
        }
        ids[size] = id;
        next[size] = END;
        if (last[node] == END) {
            first[node] = size;
        } else {
            next[last[node]] = size;
        }
        last[node] = size++;
    }

    boolean isEmpty(int node) {
        return first[node] == END;
    }

    long[] of(int node) {
        return of(node, id -> true);
    }

    /** Returns the dependencies of a node that pass the test. */
    long[] of(int node, LongPredicate test) {
        int count = 0;
        for (int at = first[node]; at != END; at = next[at]) {
            count += test.test(ids[at]) ? 1 : 0;
        }
        long[] list = new long[count];
        int filled = 0;
        for (int at = first[node]; at != END; at = next[at]) {
            if (test.test(ids[at])) {
                list[filled++] = ids[at];
            }
        }
        return list;
    }
}
