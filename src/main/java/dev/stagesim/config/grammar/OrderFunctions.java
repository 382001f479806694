package dev.stagesim.config.grammar;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The functions {@code sort} and {@code shuffle}. */
final class OrderFunctions {
    private static final long LIST_SEED = 0;

    private final Dialect dialect;

    OrderFunctions(Dialect dialect) {
        this.dialect = dialect;
    }

    Value sort(Signature.Bound arguments) {
        Value reverseValue = arguments.byName().get("reverse");
        if (reverseValue != null && !(reverseValue instanceof BoolValue)) {
            throw new CallFault("reverse must be true or false, not " + Types.name(reverseValue));
        }
        boolean reverse = reverseValue instanceof BoolValue bool && bool.value();
        List<Value> rest = checked(subject(arguments));
        if (rest.isEmpty()) {
            throw new CallFault("needs something to sort");
        }
        if (rest.size() > 1) {
            for (Value value : rest) {
                if (!(value instanceof Scalar)) {
                    throw new CallFault(Types.name(value) + " cannot stand beside other arguments");
                }
            }
            return ChoiceSweep.of(sorted(rest, reverse), true);
        }
        Value only = rest.get(0);
        if (only instanceof ChoiceSweep choice) {
            return new ChoiceSweep(sorted(choice.items(), reverse), choice.simple(), choice.tags(), choice.shuffle());
        }
        if (only instanceof RangeSweep range) {
            return dialect == Dialect.HYDRA ? swapEnds(range, reverse) : turn(range, reverse);
        }
        return only instanceof ListValue list ? new ListValue(sorted(list.items(), reverse)) : only;
    }

    Value shuffle(Signature.Bound arguments) {
        List<Value> rest = checked(subject(arguments));
        if (rest.size() != 1) {
            ChoiceSweep simple = SweepFunctions.simple(rest);
            if (rest.isEmpty() && dialect == Dialect.STAGE) {
                throw new CallFault("needs something to shuffle");
            }
            return new ChoiceSweep(simple.items(), true, simple.tags(), true);
        }
        Value only = rest.get(0);
        if (only instanceof ChoiceSweep choice) {
            return new ChoiceSweep(choice.items(), choice.simple(), choice.tags(), true);
        }
        if (only instanceof RangeSweep range) {
            return new RangeSweep(range.start(), range.stop(), range.step(), range.tags(), true);
        }
        if (only instanceof ListValue list) {
            List<Value> items = new ArrayList<>(list.items());
            Collections.shuffle(items, new Random(LIST_SEED));
            return new ListValue(items);
        }
        return new ListValue(List.of(only));
    }

    /** The named list, else the named sweep, else the unnamed arguments. */
    private static List<Value> subject(Signature.Bound arguments) {
        Value list = arguments.byName().get("list");
        Value sweep = arguments.byName().get("sweep");
        boolean hasList = list != null && !(list instanceof NullValue);
        boolean hasSweep = sweep != null && !(sweep instanceof NullValue);
        if (hasList && !(list instanceof ListValue)) {
            throw new CallFault("list must be a list");
        }
        if (hasSweep && !(sweep instanceof ChoiceSweep) && !(sweep instanceof RangeSweep)) {
            throw new CallFault("sweep must be a choice or a range");
        }
        if (hasList && list != null) {
            return List.of(list);
        }
        return hasSweep && sweep != null ? List.of(sweep) : arguments.rest();
    }

    private static List<Value> checked(List<Value> values) {
        for (Value value : values) {
            boolean orderable = value instanceof ChoiceSweep || value instanceof RangeSweep;
            if (value instanceof NullValue || (value instanceof Sweep && !orderable)) {
                throw new CallFault(Types.name(value) + " cannot be reordered");
            }
        }
        return values;
    }

    /** A stable sort; descending keeps the order of equal values, too. */
    private List<Value> sorted(List<Value> values, boolean reverse) {
        ValueOrder order = new ValueOrder(dialect);
        List<Value> input = new ArrayList<>(values);
        if (reverse) {
            Collections.reverse(input);
        }
        List<Value> out = new ArrayList<>(input.size());
        for (Value value : input) {
            int low = 0;
            int high = out.size();
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (order.less(value, out.get(middle))) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            out.add(low, value);
        }
        if (reverse) {
            Collections.reverse(out);
        }
        return out;
    }

    /** Hydra's way: the ends change places one step off, so that other points may be hit. */
    private static RangeSweep swapEnds(RangeSweep range, boolean reverse) {
        boolean swap = new ValueOrder(Dialect.HYDRA)
                .less(reverse ? range.start() : range.stop(), reverse ? range.stop() : range.start());
        if (!swap) {
            return range;
        }
        Scalar distance = Arithmetic.abs(range.step());
        Scalar shift = reverse ? Arithmetic.negate(distance) : distance;
        return new RangeSweep(
                Arithmetic.add(range.stop(), shift),
                Arithmetic.add(range.start(), shift),
                Arithmetic.negate(range.step()),
                range.tags(),
                range.shuffle());
    }

    /** Our way: the same points in the wanted order. */
    private static RangeSweep turn(RangeSweep range, boolean reverse) {
        boolean descends = Types.decimal(range.step()).signum() < 0;
        return descends == reverse
                ? range
                : RangePoints.of(range, Dialect.STAGE).reversed();
    }
}
