package dev.stagesim.io.fabric;

import dev.stagesim.io.json.JsonValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Converts plain values to numbers, booleans and mappings as Python does. */
final class Plain {
    private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]+(_[0-9]+)*");
    private static final Pattern REAL =
            Pattern.compile("[-+]?([0-9]+(_[0-9]+)*\\.?([0-9]+(_[0-9]+)*)?|\\.[0-9]+(_[0-9]+)*)([eE][-+]?[0-9]+)?");

    private Plain() {}

    /** Returns Python's {@code int(x)}, or empty if it fails. */
    static Optional<BigInteger> integer(JsonValue value) {
        if (value instanceof JsonValue.Int number) {
            return Optional.of(BigInteger.valueOf(number.value()));
        }
        if (value instanceof JsonValue.Big number) {
            return Optional.of(number.value());
        }
        if (value instanceof JsonValue.Real number) {
            return Double.isFinite(number.value())
                    ? Optional.of(new BigDecimal(number.value()).toBigInteger())
                    : Optional.empty();
        }
        if (value instanceof JsonValue.Bool bool) {
            return Optional.of(bool.value() ? BigInteger.ONE : BigInteger.ZERO);
        }
        return value instanceof JsonValue.Str text
                        && INTEGER.matcher(text.value().strip()).matches()
                ? Optional.of(
                        new BigInteger(text.value().strip().replace("_", "").replaceFirst("^\\+", "")))
                : Optional.empty();
    }

    /** Returns Python's {@code float(x)}, or empty if it fails. */
    static Optional<Double> real(JsonValue value) {
        if (value instanceof JsonValue.Real number) {
            return Optional.of(number.value());
        }
        if (value instanceof JsonValue.Str text) {
            return real(text.value().strip());
        }
        return integer(value).map(BigInteger::doubleValue).filter(Double::isFinite);
    }

    private static Optional<Double> real(String text) {
        String bare = text.toLowerCase(Locale.ROOT).replaceFirst("^[-+]", "");
        double sign = text.startsWith("-") ? -1 : 1;
        if (bare.equals("inf") || bare.equals("infinity")) {
            return Optional.of(sign * Double.POSITIVE_INFINITY);
        }
        if (bare.equals("nan")) {
            return Optional.of(Double.NaN);
        }
        return REAL.matcher(text).matches() ? Optional.of(Double.parseDouble(text.replace("_", ""))) : Optional.empty();
    }

    /** Returns Python's truth value. */
    static boolean truth(JsonValue value) {
        if (value instanceof JsonValue.Bool bool) {
            return bool.value();
        }
        if (value instanceof JsonValue.Str text) {
            return !text.value().isEmpty();
        }
        if (value instanceof JsonValue.Obj object) {
            return !object.members().isEmpty();
        }
        if (value instanceof JsonValue.Arr array) {
            return !array.items().isEmpty();
        }
        return !(value instanceof JsonValue.Null) && real(value).orElse(1.0) != 0;
    }

    /** Returns a member as an object, or empty if it is absent or of another type. */
    static Optional<JsonValue.Obj> object(JsonValue.Obj from, String name) {
        return from.get(name).filter(JsonValue.Obj.class::isInstance).map(JsonValue.Obj.class::cast);
    }

    /** Returns a member as text, or empty if it is absent or of another type. */
    static Optional<String> text(JsonValue.Obj from, String name) {
        return from.get(name).filter(JsonValue.Str.class::isInstance).map(value -> ((JsonValue.Str) value).value());
    }

    /** Merges two trees: mappings are merged, other values of {@code above} replace those of {@code below}. */
    static JsonValue.Obj merge(JsonValue.Obj below, JsonValue.Obj above) {
        Map<String, JsonValue> members = new LinkedHashMap<>(below.members());
        above.members().forEach((name, value) -> {
            JsonValue old = members.get(name);
            members.put(name, old instanceof JsonValue.Obj a && value instanceof JsonValue.Obj b ? merge(a, b) : value);
        });
        return JsonValue.of(members);
    }
}
