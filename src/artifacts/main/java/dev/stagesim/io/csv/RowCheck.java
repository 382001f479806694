package dev.stagesim.io.csv;

import dev.stagesim.contract.RowInvariant;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One row rule, bound to the columns of a file. It receives every row once, in order. */
abstract class RowCheck {
    private final RowInvariant rule;

    private RowCheck(RowInvariant rule) {
        this.rule = rule;
    }

    /**
     * Binds the rules for which all columns are present.
     *
     * @param header names of the file's columns
     */
    static RowCheck[] bind(List<RowInvariant> rules, List<String> header) {
        return rules.stream()
                .filter(rule -> header.containsAll(rule.columns()))
                .map(rule -> bind(rule, header))
                .toArray(RowCheck[]::new);
    }

    private static RowCheck bind(RowInvariant rule, List<String> header) {
        if (rule instanceof RowInvariant.RunningSum sum) {
            return new Sum(rule, header.indexOf(sum.total()), header.indexOf(sum.addend()));
        }
        if (rule instanceof RowInvariant.NotBefore order) {
            return new Order(rule, header.indexOf(order.later()), header.indexOf(order.earlier()));
        }
        if (rule instanceof RowInvariant.Increasing increasing) {
            return new Increase(rule, header.indexOf(increasing.column()));
        }
        RowInvariant.CountsWithin count = (RowInvariant.CountsWithin) rule;
        return new Count(rule, header.indexOf(count.group()), header.indexOf(count.column()));
    }

    /**
     * Checks one row and returns its problem, or null.
     *
     * @param values integers by column
     * @param empty true for each empty column
     */
    abstract @Nullable String violation(long[] values, boolean[] empty);

    final String message(String found) {
        return found + "; expected: " + rule.describe();
    }

    private static final class Sum extends RowCheck {
        private final int total;
        private final int addend;
        private long sum;

        Sum(RowInvariant rule, int total, int addend) {
            super(rule);
            this.total = total;
            this.addend = addend;
        }

        @Override
        @Nullable
        String violation(long[] values, boolean[] empty) {
            if (empty[total] || empty[addend]) {
                return null;
            }
            long expected = sum + values[addend];
            sum = values[total];
            return sum == expected ? null : message("the total is " + sum + ", but the sum of the rows is " + expected);
        }
    }

    private static final class Order extends RowCheck {
        private final int later;
        private final int earlier;

        Order(RowInvariant rule, int later, int earlier) {
            super(rule);
            this.later = later;
            this.earlier = earlier;
        }

        @Override
        @Nullable
        String violation(long[] values, boolean[] empty) {
            if (values[later] >= values[earlier] || empty[later] || empty[earlier]) {
                return null;
            }
            return message("found " + values[later] + " and " + values[earlier]);
        }
    }

    private static final class Increase extends RowCheck {
        private final int column;
        private long last = Long.MIN_VALUE;

        Increase(RowInvariant rule, int column) {
            super(rule);
            this.column = column;
        }

        @Override
        @Nullable
        String violation(long[] values, boolean[] empty) {
            if (empty[column]) {
                return null;
            }
            long before = last;
            last = values[column];
            return last > before ? null : message("found " + last + " after " + before);
        }
    }

    private static final class Count extends RowCheck {
        /** Maximum group number for which repeated groups are detected. The bit set has at most 16 MiB. */
        private static final long MAX_REMEMBERED = 1L << 27;

        private final int group;
        private final int column;
        private final BitSet seen = new BitSet();
        private long current;
        private long next;
        private boolean started;

        Count(RowInvariant rule, int group, int column) {
            super(rule);
            this.group = group;
            this.column = column;
        }

        @Override
        @Nullable
        String violation(long[] values, boolean[] empty) {
            if (empty[group] || empty[column]) {
                return null;
            }
            long id = values[group];
            if (!started || id != current) {
                started = true;
                current = id;
                next = 0;
                if (id >= 0 && id < MAX_REMEMBERED) {
                    if (seen.get((int) id)) {
                        next = values[column] + 1;
                        return message("rows of " + id + " are not adjacent");
                    }
                    seen.set((int) id);
                }
            }
            long expected = next;
            next = values[column] + 1;
            return values[column] == expected ? null : message("found " + values[column] + " instead of " + expected);
        }
    }
}
