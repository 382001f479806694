package dev.stagesim.config.grammar;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A value that represents several values. Each one results in a separate job. */
public sealed interface SweepValue extends Value {
    /** Returns the labels for sweepers, in the order written. */
    Set<String> tags();

    /**
     * A sweep over listed values.
     *
     * @param simple true for {@code a,b}, false for {@code choice(a,b)}
     * @param shuffle true for a random order
     */
    record Choice(List<Value> items, boolean simple, Set<String> tags, boolean shuffle) implements SweepValue {
        public Choice {
            items = List.copyOf(items);
            tags = copy(tags);
        }

        /** Returns a plain choice of {@code items}. */
        static Choice of(List<Value> items, boolean simple) {
            return new Choice(items, simple, Set.of(), false);
        }
    }

    /**
     * A sweep over evenly spaced numbers.
     *
     * @param stop end, exclusive
     * @param step distance between points, may be negative
     * @param shuffle true for a random order
     */
    record Range(Scalar start, Scalar stop, Scalar step, Set<String> tags, boolean shuffle) implements SweepValue {
        public Range {
            tags = copy(tags);
        }
    }

    /**
     * A continuous range for optimising sweepers. It has no list of values.
     *
     * @param start lower end: a float, or an integer after {@code int(interval(..))}
     */
    record Interval(Scalar start, Scalar end, Set<String> tags) implements SweepValue {
        public Interval {
            tags = copy(tags);
        }
    }

    /**
     * A sweep over the options of the group in the key.
     *
     * @param include patterns ({@code * ? [seq] [!seq]}), at least one of which must match
     * @param exclude patterns that must not match
     */
    record Glob(List<String> include, List<String> exclude, Set<String> tags) implements SweepValue {
        public Glob {
            include = List.copyOf(include);
            exclude = List.copyOf(exclude);
            tags = copy(tags);
        }
    }

    /**
     * Several keys with the same number of values, which advance together as one dimension of a sweep; stage dialect
     * only.
     */
    record Zip(List<Column> columns, Set<String> tags) implements SweepValue {
        /**
         * One key of a zip.
         *
         * @param key key or group, as on the left side of an override, with prefix and package
         * @param values a choice, range or glob
         */
        public record Column(String key, SweepValue values) {}

        public Zip {
            columns = List.copyOf(columns);
            tags = copy(tags);
        }
    }

    /** Copies a set in its order, so that the output depends only on the input. */
    private static Set<String> copy(Set<String> labels) {
        return Collections.unmodifiableSet(new LinkedHashSet<>(labels));
    }
}
