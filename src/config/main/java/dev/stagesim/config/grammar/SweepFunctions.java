package dev.stagesim.config.grammar;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The functions that create sweeps: {@code choice}, {@code range}, {@code interval}, {@code glob} and {@code tag}. */
record SweepFunctions(Dialect dialect) {
    Value choice(Signature.Bound arguments) {
        List<Value> items = arguments.rest();
        if (items.isEmpty()) {
            throw new CallFault("needs at least one value");
        }
        if (items.size() == 1 && items.get(0) instanceof SweepValue.Choice inner) {
            if (!inner.simple()) {
                throw nested();
            }
            return new SweepValue.Choice(inner.items(), false, inner.tags(), inner.shuffle());
        }
        for (Value item : items) {
            boolean nestedChoice = item instanceof SweepValue.Choice;
            if (nestedChoice && dialect.joinsSweeps()) {
                throw nested();
            }
            boolean refused = item instanceof Value.Null && !dialect.joinsSweeps();
            if (refused || (item instanceof SweepValue && !nestedChoice)) {
                throw new CallFault(
                        Types.name(item) + " is not a value to choose", "join sweeps with commas: a,range(3)");
            }
        }
        return SweepValue.Choice.of(items, false);
    }

    private static CallFault nested() {
        return new CallFault("nesting choices is not supported", "list the values in one choice");
    }

    /** Returns a simple choice of {@code items}. None of them may be a sweep. */
    static SweepValue.Choice simple(List<Value> items) {
        for (Value item : items) {
            if (item instanceof SweepValue) {
                throw new CallFault(Types.name(item) + " cannot be combined with other arguments");
            }
        }
        return SweepValue.Choice.of(items, true);
    }

    Value range(Signature.Bound arguments) {
        Value.Scalar start =
                number(arguments, "start").orElseThrow(() -> new CallFault("start must be a number, not null"));
        Optional<Value.Scalar> stop = number(arguments, "stop");
        Value.Scalar step = arguments.byName().containsKey("step")
                ? number(arguments, "step").orElseThrow(() -> new CallFault("step must be a number, not null"))
                : Value.Int.of(1);
        return stop.isEmpty()
                ? rangeOf(Value.Int.of(0), start, step, dialect)
                : rangeOf(start, stop.get(), step, dialect);
    }

    /** Returns a range. The stage dialect rejects ranges that cannot be enumerated. */
    static SweepValue.Range rangeOf(Value.Scalar start, Value.Scalar stop, Value.Scalar step, Dialect dialect) {
        if (dialect.rejectsEmptySweeps()) {
            if (!Types.isFinite(start) || !Types.isFinite(stop) || !Types.isFinite(step)) {
                throw new CallFault("a range needs finite numbers");
            }
            if (Types.decimal(step).signum() == 0) {
                throw new CallFault("the step of a range must not be 0");
            }
        }
        return new SweepValue.Range(start, stop, step, Set.of(), false);
    }

    Value interval(Signature.Bound arguments) {
        return new SweepValue.Interval(end(arguments, "start"), end(arguments, "end"), Set.of());
    }

    private Value.Scalar end(Signature.Bound arguments, String name) {
        Value.Scalar number =
                number(arguments, name).orElseThrow(() -> new CallFault(name + " must be a number, not null"));
        double real = Types.real(number);
        if (Double.isInfinite(real) && Types.isInteger(number)) {
            throw new CallFault(name + " is too large for a float");
        }
        return Value.Real.of(real);
    }

    private Optional<Value.Scalar> number(Signature.Bound arguments, String name) {
        Value value = arguments.byName().get(name);
        if (value == null || value instanceof Value.Null) {
            return Optional.empty();
        }
        if (!dialect.isNumber(value)) {
            throw new CallFault(name + " must be a number, not " + Types.name(value));
        }
        return Optional.of((Value.Scalar) value);
    }

    Value glob(Signature.Bound arguments) {
        List<String> include = patterns(arguments, "include");
        if (arguments.byName().get("include") instanceof Value.Null) {
            throw new CallFault("include must be a pattern or a list of patterns, not null");
        }
        return new SweepValue.Glob(include, patterns(arguments, "exclude"), Set.of());
    }

    private static List<String> patterns(Signature.Bound arguments, String name) {
        Value value = arguments.byName().get(name);
        if (value == null || value instanceof Value.Null) {
            return List.of();
        }
        List<Value> items = value instanceof Value.Items list ? list.items() : List.of(value);
        List<String> patterns = new ArrayList<>();
        for (Value item : items) {
            if (!Types.isText(item)) {
                throw new CallFault(name + " must be a pattern or a list of patterns, not " + Types.name(item));
            }
            patterns.add(((Value.Scalar) item).text());
        }
        return patterns;
    }

    Value tag(Signature.Bound arguments) {
        List<Value> rest = arguments.rest();
        Value named = arguments.byName().get("sweep");
        boolean byName = named != null && !(named instanceof Value.Null);
        List<Value> all = new ArrayList<>(rest);
        if (byName && named != null) {
            all.add(named);
        }
        if (rest.isEmpty() && (!byName || !dialect.tagsAllSweeps())) {
            throw new CallFault("needs at least a sweep", "tag(label,choice(a,b))");
        }
        for (Value value : all) {
            if (!Types.isText(value) && !isTaggable(value)) {
                throw new CallFault(Types.name(value) + " is neither a label nor a sweep", "quote the label");
            }
        }
        Value last = all.get(all.size() - 1);
        if (!isTaggable(last)) {
            throw new CallFault("the last argument must be a sweep");
        }
        Set<String> labels = new LinkedHashSet<>();
        for (Value value : all.subList(0, all.size() - 1)) {
            if (!Types.isText(value)) {
                throw new CallFault("labels must be strings, not " + Types.name(value));
            }
            labels.add(((Value.Scalar) value).text());
        }
        return withTags((SweepValue) last, labels);
    }

    private boolean isTaggable(Value value) {
        return value instanceof SweepValue && (dialect.tagsAllSweeps() || !(value instanceof SweepValue.Glob));
    }

    private SweepValue withTags(SweepValue sweep, Set<String> tags) {
        if (sweep instanceof SweepValue.Choice choice) {
            boolean simple = choice.simple() && !dialect.tagsAllSweeps();
            return new SweepValue.Choice(choice.items(), simple, tags, choice.shuffle());
        }
        if (sweep instanceof SweepValue.Range range) {
            return new SweepValue.Range(range.start(), range.stop(), range.step(), tags, range.shuffle());
        }
        if (sweep instanceof SweepValue.Interval interval) {
            return new SweepValue.Interval(interval.start(), interval.end(), tags);
        }
        if (sweep instanceof SweepValue.Glob glob) {
            return new SweepValue.Glob(glob.include(), glob.exclude(), tags);
        }
        return new SweepValue.Zip(((SweepValue.Zip) sweep).columns(), tags);
    }
}
