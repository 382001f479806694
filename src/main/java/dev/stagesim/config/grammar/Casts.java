package dev.stagesim.config.grammar;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;

/** The functions {@code int}, {@code float}, {@code str} and {@code bool}: they cast scalars, containers and sweeps. */
final class Casts {
    /** What to cast to. */
    enum Target {
        INT,
        FLOAT,
        STR,
        BOOL;

        String functionName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Target target;
    private final Dialect dialect;

    Casts(Target target, Dialect dialect) {
        this.target = target;
        this.dialect = dialect;
    }

    Value call(Signature.Bound arguments) {
        Value named = arguments.byName().get("value");
        List<Value> rest = arguments.rest();
        boolean absent = named == null || named instanceof NullValue;
        if (!absent && !rest.isEmpty()) {
            throw new CallFault("give the value by place or by name, not both");
        }
        if (absent && rest.isEmpty()) {
            throw new CallFault("needs a value");
        }
        Value value = !absent && named != null ? named : rest.size() == 1 ? rest.get(0) : SweepFunctions.simple(rest);
        return cast(value);
    }

    private Value cast(Value value) {
        if (value instanceof ListValue list) {
            return new ListValue(list.items().stream().map(this::cast).toList());
        }
        if (value instanceof DictValue dict) {
            return new DictValue(dict.entries().stream()
                    .map(entry -> new DictValue.Entry(entry.key(), cast(entry.value())))
                    .toList());
        }
        if (value instanceof Sweep sweep) {
            return sweep(sweep);
        }
        if (value instanceof NullValue) {
            if (target != Target.BOOL) {
                throw new CallFault("null cannot be cast to " + target.functionName());
            }
            return BoolValue.of(false);
        }
        return scalar((Scalar) value);
    }

    private Value sweep(Sweep sweep) {
        boolean keep = dialect == Dialect.STAGE;
        if (sweep instanceof ChoiceSweep choice) {
            List<Value> items = choice.items().stream().map(this::item).toList();
            return keep
                    ? new ChoiceSweep(items, choice.simple(), choice.tags(), choice.shuffle())
                    : ChoiceSweep.of(items, choice.simple());
        }
        boolean numeric = target == Target.INT || target == Target.FLOAT;
        if (sweep instanceof RangeSweep range && numeric) {
            RangeSweep plain =
                    SweepFunctions.rangeOf(scalar(range.start()), scalar(range.stop()), scalar(range.step()), dialect);
            return keep
                    ? new RangeSweep(plain.start(), plain.stop(), plain.step(), range.tags(), range.shuffle())
                    : plain;
        }
        if (sweep instanceof IntervalSweep interval && numeric) {
            return new IntervalSweep(scalar(interval.start()), scalar(interval.end()), interval.tags());
        }
        throw new CallFault(Types.name(sweep) + " cannot be cast to " + target.functionName());
    }

    private Value item(Value value) {
        Value cast = cast(value);
        if (cast instanceof Sweep) {
            throw new CallFault("a sweep inside a choice cannot be cast");
        }
        return cast;
    }

    private Scalar scalar(Scalar value) {
        return switch (target) {
            case INT -> IntValue.of(toInt(value));
            case FLOAT -> FloatValue.of(toFloat(value));
            case BOOL -> BoolValue.of(toBool(value));
            case STR -> string(toText(value));
        };
    }

    private Scalar string(String text) {
        return dialect == Dialect.HYDRA ? new TextValue(text) : Serializer.asString(text);
    }

    private static BigInteger toInt(Scalar value) {
        if (value instanceof FloatValue real) {
            if (!Double.isFinite(real.value())) {
                throw new CallFault(FloatText.shortest(real.value()) + " has no integer value");
            }
            return new BigDecimal(real.value()).toBigInteger();
        }
        if (Types.isInteger(value)) {
            return Types.integer(value);
        }
        return PythonNumbers.integer(value.text())
                .orElseThrow(() -> new CallFault("'" + value.text() + "' is not an integer"));
    }

    private static double toFloat(Scalar value) {
        if (value instanceof FloatValue real) {
            return real.value();
        }
        if (Types.isInteger(value)) {
            double real = Types.real(value);
            if (Double.isInfinite(real)) {
                throw new CallFault("the integer is too large for a float");
            }
            return real;
        }
        return PythonNumbers.real(value.text())
                .orElseThrow(() -> new CallFault("'" + value.text() + "' is not a number"));
    }

    private static boolean toBool(Scalar value) {
        if (value instanceof FloatValue real) {
            return real.value() != 0;
        }
        if (Types.isInteger(value)) {
            return Types.integer(value).signum() != 0;
        }
        String lower = value.text().toLowerCase(Locale.ROOT);
        if (!lower.equals("true") && !lower.equals("false")) {
            throw new CallFault("'" + value.text() + "' is neither true nor false");
        }
        return lower.equals("true");
    }

    private static String toText(Scalar value) {
        if (value instanceof FloatValue real) {
            return FloatText.shortest(real.value());
        }
        if (value instanceof BoolValue bool) {
            return Boolean.toString(bool.value());
        }
        return value instanceof IntValue integer ? integer.value().toString() : value.text();
    }
}
