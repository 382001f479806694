package dev.stagesim.config.grammar;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A value that stands for several: each gives a job of its own. */
public sealed interface Sweep extends Value {
    /** Labels for sweepers, in the order written. */
    Set<String> tags();

    /**
     * A sweep over listed values.
     *
     * @param simple true when written {@code a,b}, false for {@code choice(a,b)}
     * @param shuffle true when the order is to be drawn at random
     */
    record Choice(List<Value> items, boolean simple, Set<String> tags, boolean shuffle) implements Sweep {
        public Choice {
            items = List.copyOf(items);
            tags = copy(tags);
        }

        /** A plain choice of {@code items}. */
        public static Choice of(List<Value> items, boolean simple) {
            return new Choice(items, simple, Set.of(), false);
        }
    }

    /**
     * A sweep over evenly spaced numbers.
     *
     * @param stop end, exclusive
     * @param step distance, may be negative
     * @param shuffle true when the order is to be drawn at random
     */
    record Range(Scalar start, Scalar stop, Scalar step, Set<String> tags, boolean shuffle) implements Sweep {
        public Range {
            tags = copy(tags);
        }
    }

    /**
     * A continuous range for optimising sweepers; it has no list of values.
     *
     * @param start lower end: a float, or an integer after {@code int(interval(..))}
     */
    record Interval(Scalar start, Scalar end, Set<String> tags) implements Sweep {
        public Interval {
            tags = copy(tags);
        }
    }

    /**
     * A sweep over the options of the group that the key names.
     *
     * @param include patterns ({@code * ? [seq] [!seq]}) of which one must match
     * @param exclude patterns of which none may match
     */
    record Glob(List<String> include, List<String> exclude, Set<String> tags) implements Sweep {
        public Glob {
            include = List.copyOf(include);
            exclude = List.copyOf(exclude);
            tags = copy(tags);
        }
    }

    /** Several keys, with equally many values, that advance together as one dimension of a sweep; our dialect only. */
    record Zip(List<Column> columns, Set<String> tags) implements Sweep {
        /**
         * One key of a zip.
         *
         * @param key key or group, as on the left of an override, prefix and package included
         * @param values a choice, range or glob
         */
        public record Column(String key, Sweep values) {}

        public Zip {
            columns = List.copyOf(columns);
            tags = copy(tags);
        }
    }

    /** A set that keeps its order, so that output depends on the input alone. */
    private static Set<String> copy(Set<String> labels) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(labels));
    }
}
