package dev.stagesim.config.grammar;

import dev.stagesim.stats.Bisection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The functions {@code sort} and {@code shuffle}. */
record OrderFunctions(Dialect dialect) {
    private static final long LIST_SEED = 0;

    Value sort(Signature.Bound arguments) {
        Value reverseValue = arguments.byName().get("reverse");
        if (reverseValue != null && !(reverseValue instanceof Value.Bool)) {
            throw new CallFault("reverse must be true or false, not " + Types.name(reverseValue));
        }
        boolean reverse = reverseValue instanceof Value.Bool bool && bool.value();
        List<Value> rest = checked(subject(arguments));
        if (rest.isEmpty()) {
            throw new CallFault("needs something to sort");
        }
        if (rest.size() > 1) {
            for (Value value : rest) {
                if (!(value instanceof Value.Scalar)) {
                    throw new CallFault(Types.name(value) + " cannot be combined with other arguments");
                }
            }
            return SweepValue.Choice.of(sorted(rest, reverse), true);
        }
        Value only = rest.get(0);
        if (only instanceof SweepValue.Choice choice) {
            return new SweepValue.Choice(
                    sorted(choice.items(), reverse),
                    choice.simple(),
                    choice.tags(),
                    choice.shuffle() && !dialect.sortEndsShuffle());
        }
        if (only instanceof SweepValue.Range range) {
            return dialect.sorted(range, reverse);
        }
        return only instanceof Value.Items list ? new Value.Items(sorted(list.items(), reverse)) : only;
    }

    Value shuffle(Signature.Bound arguments) {
        List<Value> rest = checked(subject(arguments));
        if (rest.size() != 1) {
            SweepValue.Choice simple = SweepFunctions.simple(rest);
            if (rest.isEmpty() && dialect.rejectsEmptySweeps()) {
                throw new CallFault("needs something to shuffle");
            }
            return new SweepValue.Choice(simple.items(), true, simple.tags(), true);
        }
        Value only = rest.get(0);
        if (only instanceof SweepValue.Choice choice) {
            return new SweepValue.Choice(choice.items(), choice.simple(), choice.tags(), true);
        }
        if (only instanceof SweepValue.Range range) {
            return new SweepValue.Range(range.start(), range.stop(), range.step(), range.tags(), true);
        }
        if (only instanceof Value.Items list) {
            List<Value> items = new ArrayList<>(list.items());
            Collections.shuffle(items, new Random(LIST_SEED));
            return new Value.Items(items);
        }
        return new Value.Items(List.of(only));
    }

    /** Returns the named list, or the named sweep, or the unnamed arguments. */
    private static List<Value> subject(Signature.Bound arguments) {
        checked(arguments.rest());
        Value list = arguments.byName().get("list");
        Value sweep = arguments.byName().get("sweep");
        boolean hasList = list != null && !(list instanceof Value.Null);
        boolean hasSweep = sweep != null && !(sweep instanceof Value.Null);
        if (hasList && !(list instanceof Value.Items)) {
            throw new CallFault("list must be a list");
        }
        if (hasSweep && !(sweep instanceof SweepValue.Choice) && !(sweep instanceof SweepValue.Range)) {
            throw new CallFault("sweep must be a choice or a range");
        }
        if (hasList && list != null) {
            return List.of(list);
        }
        return hasSweep && sweep != null ? List.of(sweep) : arguments.rest();
    }

    private static List<Value> checked(List<Value> values) {
        for (Value value : values) {
            boolean orderable = value instanceof SweepValue.Choice || value instanceof SweepValue.Range;
            if (value instanceof Value.Null || (value instanceof SweepValue && !orderable)) {
                throw new CallFault(Types.name(value) + " cannot be reordered");
            }
        }
        return values;
    }

    /** Sorts stably. Equal values also keep their order in descending sorts. */
    private List<Value> sorted(List<Value> values, boolean reverse) {
        ValueOrder order = new ValueOrder(dialect);
        List<Value> input = new ArrayList<>(values);
        if (reverse) {
            Collections.reverse(input);
        }
        List<Value> out = new ArrayList<>(input.size());
        for (Value value : input) {
            out.add(Bisection.smallest(-1, out.size(), i -> order.less(value, out.get(i))), value);
        }
        if (reverse) {
            Collections.reverse(out);
        }
        return out;
    }

    /** Hydra's procedure: swaps the ends with an offset of one step, which can change the points. */
    static SweepValue.Range swapEnds(SweepValue.Range range, boolean reverse) {
        boolean swap = new ValueOrder(Dialect.HYDRA)
                .less(reverse ? range.start() : range.stop(), reverse ? range.stop() : range.start());
        if (!swap) {
            return range;
        }
        Value.Scalar distance = Types.abs(range.step());
        Value.Scalar shift = reverse ? Types.negate(distance) : distance;
        return new SweepValue.Range(
                Types.add(range.stop(), shift),
                Types.add(range.start(), shift),
                Types.negate(range.step()),
                range.tags(),
                range.shuffle());
    }

    /** Procedure of the stage dialect: returns the same points in the requested order. */
    static SweepValue.Range reordered(SweepValue.Range range, boolean reverse) {
        boolean descends = Types.decimal(range.step()).signum() < 0;
        return descends == reverse
                ? range
                : RangePoints.of(range, Dialect.STAGE).reversed();
    }

    /** Compares values as Python does: numbers with numbers, strings with strings, lists item by item. */
    private record ValueOrder(Dialect dialect) {
        /**
         * True if {@code a} is less than {@code b}. NaN is less than no value.
         *
         * @throws CallFault if the values cannot be compared
         */
        boolean less(Value a, Value b) {
            if (Types.isNumber(a) && Types.isNumber(b)) {
                return lessNumber(a, b);
            }
            if (dialect.hasOrder(a) && dialect.hasOrder(b)) {
                return comparePoints(((Value.Scalar) a).text(), ((Value.Scalar) b).text()) < 0;
            }
            if (a instanceof Value.Items first && b instanceof Value.Items second) {
                return lessList(first.items(), second.items());
            }
            throw new CallFault(
                    Types.name(a) + " and " + Types.name(b) + " have no order",
                    "sort numbers with numbers, text with text");
        }

        private static boolean lessNumber(Value a, Value b) {
            if (Types.isFinite(a) && Types.isFinite(b)) {
                return Types.exact(a).compareTo(Types.exact(b)) < 0;
            }
            double x = Types.isFinite(a) ? 0 : Types.real(a);
            double y = Types.isFinite(b) ? 0 : Types.real(b);
            return x < y;
        }

        private boolean lessList(List<Value> a, List<Value> b) {
            int common = Math.min(a.size(), b.size());
            for (int i = 0; i < common; i++) {
                if (!same(a.get(i), b.get(i))) {
                    return less(a.get(i), b.get(i));
                }
            }
            return a.size() < b.size();
        }

        private static boolean same(Value a, Value b) {
            if (Types.isNumber(a) && Types.isNumber(b)) {
                return !lessNumber(a, b) && !lessNumber(b, a);
            }
            return a.equals(b);
        }

        /** Compares by code points, because UTF-16 code units have another order. */
        private static int comparePoints(String a, String b) {
            int[] x = a.codePoints().toArray();
            int[] y = b.codePoints().toArray();
            return java.util.Arrays.compare(x, y);
        }
    }
}
