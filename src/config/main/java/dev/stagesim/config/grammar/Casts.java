package dev.stagesim.config.grammar;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.ShortestDouble;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The functions {@code int}, {@code float}, {@code str} and {@code bool}. They cast scalars, containers and sweeps. */
record Casts(Target target, Dialect dialect) {
    /** The type to cast to. */
    enum Target {
        INT,
        FLOAT,
        STR,
        BOOL;

        String functionName() {
            return KeyNames.constant(this);
        }
    }

    Value call(Signature.Bound arguments) {
        Value named = arguments.byName().get("value");
        List<Value> rest = arguments.rest();
        boolean absent = named == null || named instanceof Value.Null;
        if (!absent && !rest.isEmpty()) {
            throw new CallFault("give the value by position or by name, not both");
        }
        if (absent && rest.isEmpty()) {
            throw new CallFault("needs a value");
        }
        Value value = !absent && named != null ? named : rest.size() == 1 ? rest.get(0) : SweepFunctions.simple(rest);
        return cast(value);
    }

    private Value cast(Value value) {
        if (value instanceof Value.Items list) {
            return new Value.Items(list.items().stream().map(this::cast).toList());
        }
        if (value instanceof Value.Dict dict) {
            return new Value.Dict(dict.entries().stream()
                    .map(entry -> new Value.Dict.Entry(entry.key(), cast(entry.value())))
                    .toList());
        }
        if (value instanceof SweepValue sweep) {
            return sweep(sweep);
        }
        if (value instanceof Value.Null) {
            if (target != Target.BOOL) {
                throw new CallFault("null cannot be cast to " + target.functionName());
            }
            return Value.Bool.of(false);
        }
        return scalar((Value.Scalar) value);
    }

    private Value sweep(SweepValue sweep) {
        boolean keep = dialect.keepsTags();
        if (sweep instanceof SweepValue.Choice choice) {
            List<Value> items = choice.items().stream().map(this::item).toList();
            return keep
                    ? new SweepValue.Choice(items, choice.simple(), choice.tags(), choice.shuffle())
                    : SweepValue.Choice.of(items, choice.simple());
        }
        boolean numeric = target == Target.INT || target == Target.FLOAT;
        if (sweep instanceof SweepValue.Range range && numeric) {
            if (dialect.castsPoints() && target == Target.INT && !RangePoints.isInteger(range)) {
                List<Value> points = RangePoints.of(range, dialect).all().stream()
                        .<Value>map(this::scalar)
                        .toList();
                return new SweepValue.Choice(points, false, range.tags(), range.shuffle());
            }
            SweepValue.Range plain =
                    SweepFunctions.rangeOf(scalar(range.start()), scalar(range.stop()), scalar(range.step()), dialect);
            return keep
                    ? new SweepValue.Range(plain.start(), plain.stop(), plain.step(), range.tags(), range.shuffle())
                    : plain;
        }
        if (sweep instanceof SweepValue.Interval interval && numeric) {
            return new SweepValue.Interval(scalar(interval.start()), scalar(interval.end()), interval.tags());
        }
        throw new CallFault(Types.name(sweep) + " cannot be cast to " + target.functionName());
    }

    private Value item(Value value) {
        Value cast = cast(value);
        if (cast instanceof SweepValue) {
            throw new CallFault("a sweep inside a choice cannot be cast");
        }
        return cast;
    }

    private Value.Scalar scalar(Value.Scalar value) {
        return switch (target) {
            case INT -> Value.Int.of(toInt(value));
            case FLOAT -> Value.Real.of(toFloat(value));
            case BOOL -> Value.Bool.of(toBool(value));
            case STR -> dialect.string(toText(value));
        };
    }

    private static BigInteger toInt(Value.Scalar value) {
        if (value instanceof Value.Real real) {
            if (!Double.isFinite(real.value())) {
                throw new CallFault(ShortestDouble.of(real.value()) + " has no integer value");
            }
            return new BigDecimal(real.value()).toBigInteger();
        }
        if (Types.isInteger(value)) {
            return Types.integer(value);
        }
        return PythonNumbers.integer(value.text())
                .orElseThrow(() -> new CallFault("'" + value.text() + "' is not an integer"));
    }

    private static double toFloat(Value.Scalar value) {
        if (value instanceof Value.Real real) {
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

    private static boolean toBool(Value.Scalar value) {
        if (value instanceof Value.Real real) {
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

    private static String toText(Value.Scalar value) {
        if (value instanceof Value.Real real) {
            return ShortestDouble.of(real.value());
        }
        if (value instanceof Value.Bool bool) {
            return Boolean.toString(bool.value());
        }
        return value instanceof Value.Int integer ? integer.value().toString() : value.text();
    }

    /** Parses numbers with Python's rules. Surrounding blanks and single underscores between digits are allowed. */
    private static final class PythonNumbers {
        private PythonNumbers() {}

        static Optional<BigInteger> integer(String text) {
            String plain = ascii(text.strip());
            int digits = plain.startsWith("-") || plain.startsWith("+") ? 1 : 0;
            if (Scan.digits(plain, digits) != plain.length()) {
                return Optional.empty();
            }
            return Optional.of(new BigInteger(plain.replace("_", "")));
        }

        static Optional<Double> real(String text) {
            String plain = ascii(text.strip()).toLowerCase(Locale.ROOT);
            int start = plain.startsWith("-") || plain.startsWith("+") ? 1 : 0;
            String magnitude = plain.substring(start);
            double sign = plain.startsWith("-") ? -1 : 1;
            if (magnitude.equals("inf") || magnitude.equals("infinity")) {
                return Optional.of(sign * Double.POSITIVE_INFINITY);
            }
            if (magnitude.equals("nan")) {
                return Optional.of(Double.NaN);
            }
            return isDecimal(magnitude)
                    ? Optional.of(sign * Double.parseDouble(magnitude.replace("_", "")))
                    : Optional.empty();
        }

        private static boolean isDecimal(String s) {
            int whole = Math.max(0, Scan.digits(s, 0));
            int end = whole;
            if (Scan.at(s, whole) == '.') {
                int fraction = Scan.digits(s, whole + 1);
                if (whole == 0 && fraction < 0) {
                    return false;
                }
                end = fraction < 0 ? whole + 1 : fraction;
            } else if (whole == 0) {
                return false;
            }
            if (Scan.at(s, end) == 'e') {
                char c = Scan.at(s, end + 1);
                end = Scan.digits(s, c == '+' || c == '-' ? end + 2 : end + 1);
            }
            return end == s.length();
        }

        /** Converts digits of other scripts to ASCII digits. */
        private static String ascii(String s) {
            StringBuilder out = new StringBuilder(s.length());
            s.codePoints().forEach(c -> {
                if (c > 0x7f && Character.isDigit(c)) {
                    out.append((char) ('0' + Character.digit(c, 10)));
                } else {
                    out.appendCodePoint(c);
                }
            });
            return out.toString();
        }
    }
}
