package dev.stagesim.sim.systolic;

import java.util.List;
import java.util.function.LongConsumer;

/** The addresses of an operand in the order of a custom layout. */
final class LayoutSequence {
    private final int[] extents;
    private final int[] factors;
    private final int[] order;
    private final Count count = new Count();
    private final int[] place;

    /**
     * @param extents its extents, row-major
     * @param layout block factors per axis and the order of the blocked axes
     */
    LayoutSequence(List<Integer> extents, LayoutOrder layout) {
        this.extents = extents.stream().mapToInt(Integer::intValue).toArray();
        factors = layout.factors().stream().mapToInt(Integer::intValue).toArray();
        order = layout.order().stream().mapToInt(Integer::intValue).toArray();
        place = new int[extents.size()];
        count.clear(extents.size());
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

    /** Words, without padding. */
    long words() {
        long product = 1;
        for (int extent : extents) {
            product *= extent;
        }
        return product;
    }

    /** Number of the word at an address, counted without padding. */
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

    /** Words whose first digits are given: each axis has the number of its block and the place in it, -1 while free. */
    private final class Count {
        private int[] block = new int[0];
        private int[] inner = new int[0];
        /** Words that are left of each axis. */
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

        /** Product of what is left of the other axes. */
        long others(int axis) {
            long product = 1;
            for (int other = 0; other < extents.length; other++) {
                product *= other == axis ? 1 : left[other];
            }
            return product;
        }

        /** Words of the axis for which a digit is below a value that occurs. */
        long below(int digit, int value) {
            int axis = digit < extents.length ? digit : digit - extents.length;
            int extent = extents[axis];
            int factor = factors[axis];
            if (digit < extents.length) {
                return inner[axis] < 0 ? Math.min((long) value * factor, extent) : value;
            }
            return block[axis] < 0 ? (long) value * (extent / factor) + Math.min(value, extent % factor) : value;
        }

        /** The largest value of a digit below which there are no more than {@code words} words of the axis. */
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
