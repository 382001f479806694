package dev.stagesim.sim.systolic;

import java.util.List;
import java.util.function.LongConsumer;

/** The addresses of an operand in the order of a custom layout. */
final class LayoutSequence {
    private final int[] extents;
    private final int[] factors;
    private final int[] order;

    /**
     * Orders an array.
     *
     * @param extents its extents, row-major
     * @param layout block factors per axis and the order of the blocked axes
     */
    LayoutSequence(List<Integer> extents, LayoutOrder layout) {
        this.extents = extents.stream().mapToInt(Integer::intValue).toArray();
        factors = layout.factors().stream().mapToInt(Integer::intValue).toArray();
        order = layout.order().stream().mapToInt(Integer::intValue).toArray();
    }

    /** Entries, padding included. */
    long entries() {
        long product = 1;
        for (int axis = 0; axis < extents.length; axis++) {
            product *= (long) blocks(axis) * factors[axis];
        }
        return product;
    }

    private int blocks(int axis) {
        return (extents[axis] + factors[axis] - 1) / factors[axis];
    }

    /** Hands on every address, -1 for padding. */
    void each(LongConsumer consumer) {
        int axes = extents.length;
        int[] place = new int[2 * axes];
        long total = entries();
        for (long i = 0; i < total; i++) {
            consumer.accept(address(place));
            for (int at = order.length - 1; at >= 0; at--) {
                int axis = order[at];
                int size = axis < axes ? blocks(axis) : factors[axis - axes];
                place[axis]++;
                if (place[axis] < size) {
                    break;
                }
                place[axis] = 0;
            }
        }
    }

    private long address(int[] place) {
        int axes = extents.length;
        long address = 0;
        for (int axis = 0; axis < axes; axis++) {
            int at = place[axis] * factors[axis] + place[axes + axis];
            if (at >= extents[axis]) {
                return -1;
            }
            address = address * extents[axis] + at;
        }
        return address;
    }
}
