package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.spec.LayoutOrder;
import java.util.List;
import java.util.function.LongConsumer;

/** Addresses of an operand in the order of a custom layout. */
final class LayoutSequence {
    private final int[] extents;
    private final int[] factors;
    private final int[] order;
    private final Count count = new Count();
    private final int[] place;

    /**
     * @param extents size of the operand along each axis, row-major
     * @param layout block factor per axis and the order of the blocked axes
     */
    LayoutSequence(List<Integer> extents, LayoutOrder layout) {
        this.extents = extents.stream().mapToInt(Integer::intValue).toArray();
        factors = layout.factors().stream().mapToInt(Integer::intValue).toArray();
        order = layout.order().stream().mapToInt(Integer::intValue).toArray();
        place = new int[extents.size()];
        count.clear(extents.size());
    }

    /** Number of entries, padding included. */
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

    /** Passes every address to the consumer in layout order; -1 for padding. */
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

    /** Number of words, without padding. */
    long words() {
        long product = 1;
        for (int extent : extents) {
            product *= extent;
        }
        return product;
    }

    /** Returns the position of an address, counted without padding. */
    long placeOf(long address) {
        count.clear(extents.length);
        int axes = extents.length;
        long rest = address;
        for (int axis = axes - 1; axis >= 0; axis--) {
            long next = rest / extents[axis];
            place[axis] = (int) (rest - next * extents[axis]);
            rest = next;
        }
        long before = 0;
        for (int digit : order) {
            int axis = digit < axes ? digit : digit - axes;
            int value = digit < axes ? place[axis] / factors[axis] : place[axis] % factors[axis];
            before += count.below(digit, value) * count.others(axis);
            count.fix(digit, value);
        }
        return before;
    }

    long addressAt(long number) {
        count.clear(extents.length);
        long rest = number;
        for (int digit : order) {
            long others = count.others(digit % extents.length);
            int value = count.largest(digit, rest / others);
            rest -= count.below(digit, value) * others;
            count.fix(digit, value);
        }
        long address = 0;
        for (int axis = 0; axis < extents.length; axis++) {
            address = address * extents[axis] + (long) count.block[axis] * factors[axis] + count.inner[axis];
        }
        return address;
    }

    /**
     * Counts the words with a fixed prefix of digits. Each axis has two digits: its block and the offset in the block;
     * -1 means not fixed.
     */
    private final class Count {
        private int[] block = new int[0];
        private int[] inner = new int[0];
        /** Words per axis that match the fixed digits. */
        private int[] left = new int[0];

        void clear(int axes) {
            if (block.length != axes) {
                block = new int[axes];
                inner = new int[axes];
                left = new int[axes];
            }
            for (int axis = 0; axis < axes; axis++) {
                block[axis] = -1;
                inner[axis] = -1;
                left[axis] = extents[axis];
            }
        }

        void fix(int digit, int value) {
            int axis = digit < extents.length ? digit : digit - extents.length;
            int extent = extents[axis];
            int factor = factors[axis];
            if (axis == digit) {
                block[axis] = value;
                left[axis] = inner[axis] < 0 ? Math.min(factor, extent - value * factor) : 1;
            } else {
                inner[axis] = value;
                left[axis] = block[axis] < 0 ? extent / factor + (value < extent % factor ? 1 : 0) : 1;
            }
        }

        /** Product of the remaining words along all axes except {@code axis}. */
        long others(int axis) {
            long product = 1;
            for (int other = 0; other < extents.length; other++) {
                product *= other == axis ? 1 : left[other];
            }
            return product;
        }

        /** Words along the axis with a digit less than {@code value}. */
        long below(int digit, int value) {
            int axis = digit < extents.length ? digit : digit - extents.length;
            int extent = extents[axis];
            int factor = factors[axis];
            if (digit < extents.length) {
                return inner[axis] < 0 ? Math.min((long) value * factor, extent) : value;
            }
            return block[axis] < 0 ? (long) value * (extent / factor) + Math.min(value, extent % factor) : value;
        }

        /** Returns the largest value of a digit with at most {@code words} words below it. */
        int largest(int digit, long words) {
            int axis = digit % extents.length;
            int extent = extents[axis];
            int factor = factors[axis];
            if (digit < extents.length) {
                return (int) (inner[axis] < 0 ? words / factor : words);
            }
            if (block[axis] >= 0) {
                return (int) words;
            }
            long onceMore = extent / factor + 1L;
            long first = extent % factor * onceMore;
            return (int) (words < first ? words / onceMore : extent % factor + (words - first) / (onceMore - 1));
        }
    }
}
