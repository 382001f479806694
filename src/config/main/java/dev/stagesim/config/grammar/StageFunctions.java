package dev.stagesim.config.grammar;

import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The functions of the stage dialect: {@code json}, {@code json_str}, {@code linspace}, {@code logrange}, {@code zip}.
 */
final class StageFunctions {
    private static final int MAX_POINTS = 100_000;
    private static final MathContext EXACT = MathContext.DECIMAL128;
    /** Powers are accurate to about 15 digits. Rounding to 12 digits gives the expected round numbers. */
    private static final MathContext POWER = new MathContext(12, RoundingMode.HALF_EVEN);

    private StageFunctions() {}

    static Value json(Signature.Bound arguments) {
        Value text = argument(arguments, "text");
        if (!Types.isText(text)) {
            throw new CallFault("text must be a JSON string, not " + Types.name(text));
        }
        return JsonText.read(((Value.Scalar) text).text());
    }

    static Value jsonText(Signature.Bound arguments, Dialect dialect) {
        Value value = argument(arguments, "value");
        if (value instanceof SweepValue.Choice choice) {
            List<Value> items = choice.items().stream()
                    .<Value>map(item -> dialect.string(JsonText.write(item)))
                    .toList();
            return new SweepValue.Choice(items, choice.simple(), choice.tags(), choice.shuffle());
        }
        return dialect.string(JsonText.write(value));
    }

    static Value linspace(Signature.Bound arguments) {
        Spacing spacing = spacing(arguments);
        BigDecimal step = spacing.count() == 1
                ? BigDecimal.ZERO
                : spacing.stop().subtract(spacing.start()).divide(BigDecimal.valueOf(spacing.count() - 1L), EXACT);
        List<BigDecimal> points = new ArrayList<>();
        for (int i = 0; i < spacing.count(); i++) {
            points.add(spacing.start().add(step.multiply(BigDecimal.valueOf(i)), EXACT));
        }
        return sweep(points, spacing);
    }

    static Value logrange(Signature.Bound arguments) {
        Spacing spacing = spacing(arguments);
        if (spacing.start().signum() <= 0 || spacing.stop().signum() <= 0) {
            throw new CallFault("both ends must be greater than 0");
        }
        double from = StrictMath.log(spacing.start().doubleValue());
        double to = StrictMath.log(spacing.stop().doubleValue());
        List<BigDecimal> points = new ArrayList<>();
        for (int i = 0; i < spacing.count(); i++) {
            double share = spacing.count() == 1 ? 0 : i / (spacing.count() - 1.0);
            points.add(new BigDecimal(StrictMath.exp(from + share * (to - from))).round(POWER));
        }
        return sweep(points, spacing);
    }

    private record Spacing(BigDecimal start, BigDecimal stop, int count, boolean integers) {}

    private static Spacing spacing(Signature.Bound arguments) {
        Value start = number(arguments, "start");
        Value stop = number(arguments, "stop");
        Value count = argument(arguments, "count");
        boolean valid = count instanceof Value.Int integer
                && integer.value().signum() > 0
                && integer.value().bitLength() < 31
                && integer.value().intValue() <= MAX_POINTS;
        if (!valid) {
            throw new CallFault("count must be an integer from 1 to " + MAX_POINTS);
        }
        boolean integers = start instanceof Value.Int && stop instanceof Value.Int;
        return new Spacing(
                Types.decimal(start),
                Types.decimal(stop),
                ((Value.Int) count).value().intValue(),
                integers);
    }

    private static Value number(Signature.Bound arguments, String name) {
        Value value = argument(arguments, name);
        if (!Dialect.STAGE.isNumber(value) || !Types.isFinite(value)) {
            throw new CallFault(name + " must be a finite number");
        }
        return value;
    }

    private static Value argument(Signature.Bound arguments, String name) {
        Value value = arguments.byName().get(name);
        if (value == null) {
            throw new IllegalStateException("unbound argument " + name);
        }
        return value;
    }

    /** Builds the sweep. The end points are exact. Integers remain integers if every point is an integer. */
    private static SweepValue.Choice sweep(List<BigDecimal> points, Spacing spacing) {
        points.set(0, spacing.start());
        if (spacing.count() > 1) {
            points.set(points.size() - 1, spacing.stop());
        }
        boolean whole = spacing.integers()
                && points.stream().allMatch(point -> point.stripTrailingZeros().scale() <= 0);
        List<Value> items = new ArrayList<>();
        for (BigDecimal point : points) {
            items.add(whole ? Value.Int.of(point.toBigInteger()) : Value.Real.of(point.doubleValue()));
        }
        return SweepValue.Choice.of(items, false);
    }

    /** {@code zip(a=choice(1,2),b=range(2))}: the argument names are keys. */
    static Value zip(List<Syntax.Argument> arguments, List<Value> values) {
        if (arguments.isEmpty()) {
            throw new CallFault("needs at least one key", "zip(a=choice(1,2),b=choice(3,4))");
        }
        List<SweepValue.Zip.Column> columns = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        int size = -1;
        for (int i = 0; i < arguments.size(); i++) {
            String key = arguments
                    .get(i)
                    .name()
                    .orElseThrow(() -> new CallFault("every argument needs a key", "zip(a=choice(1,2),..)"));
            if (!KeyScanner.isKey(key) || !seen.add(key)) {
                throw new CallFault("'" + key + "' is not a key, or is repeated");
            }
            SweepValue column = column(key, values.get(i));
            int length = length(column);
            if (size >= 0 && length >= 0 && length != size) {
                throw new CallFault("'" + key + "' has " + length + " values, but other keys have " + size);
            }
            size = length >= 0 ? length : size;
            columns.add(new SweepValue.Zip.Column(key, column));
        }
        return new SweepValue.Zip(columns, Set.of());
    }

    private static SweepValue column(String key, Value value) {
        boolean fits = value instanceof SweepValue.Choice
                || value instanceof SweepValue.Range
                || value instanceof SweepValue.Glob;
        if (!fits) {
            throw new CallFault("'" + key + "' must be a choice, range or glob, not " + Types.name(value));
        }
        if (value instanceof SweepValue.Choice choice) {
            return new SweepValue.Choice(choice.items(), false, choice.tags(), shuffled(key, choice.shuffle()));
        }
        if (value instanceof SweepValue.Range range) {
            shuffled(key, range.shuffle());
        }
        return (SweepValue) value;
    }

    private static boolean shuffled(String key, boolean shuffle) {
        if (shuffle) {
            throw new CallFault("'" + key + "' is shuffled, which would undo the pairing");
        }
        return false;
    }

    /** Returns the number of values, or -1 if it depends on files. */
    private static int length(SweepValue sweep) {
        if (sweep instanceof SweepValue.Choice choice) {
            return choice.items().size();
        }
        return sweep instanceof SweepValue.Range range
                ? RangePoints.of(range, Dialect.STAGE).all().size()
                : -1;
    }

    /** Converts values to one line of JSON, and JSON to values. */
    private static final class JsonText {
        private JsonText() {}

        /**
         * Parses one JSON value.
         *
         * @throws CallFault if the text is not valid JSON
         */
        static Value read(String text) {
            try {
                return value(Json.parse(text, "the JSON").value());
            } catch (StageException wrong) {
                Problem problem = wrong.problems().get(0);
                throw new CallFault(problem.where() + ": " + problem.what());
            }
        }

        private static Value value(JsonValue json) {
            if (json instanceof JsonValue.Obj object) {
                return new Value.Dict(object.members().entrySet().stream()
                        .map(member ->
                                new Value.Dict.Entry(Serializer.asKey(member.getKey()), value(member.getValue())))
                        .toList());
            }
            if (json instanceof JsonValue.Arr array) {
                return new Value.Items(
                        array.items().stream().map(JsonText::value).toList());
            }
            if (json instanceof JsonValue.Str text) {
                return Serializer.asString(text.value());
            }
            if (json instanceof JsonValue.Bool flag) {
                return Value.Bool.of(flag.value());
            }
            if (json instanceof JsonValue.Real real) {
                return Value.Real.of(real.value());
            }
            if (json instanceof JsonValue.Int number) {
                return Value.Int.of(number.value());
            }
            return json instanceof JsonValue.Big number ? Value.Int.of(number.value()) : Value.Null.NULL;
        }

        static String write(Value value) {
            if (value instanceof SweepValue) {
                throw new CallFault(Types.name(value) + " has no JSON form");
            }
            return ValueNodes.toNode(value, Origin.UNKNOWN).inline(JsonText::scalar, Json::quoted);
        }

        private static String scalar(ScalarNode leaf) {
            if (leaf.kind() == ScalarNode.Kind.STRING) {
                return Json.quoted(leaf.text());
            }
            if (!(leaf.value() instanceof Double real)) {
                return String.valueOf(leaf.value());
            }
            if (!Double.isFinite(real)) {
                throw new CallFault("JSON has no " + ShortestDouble.of(real));
            }
            return ShortestDouble.of(real);
        }
    }
}
