package dev.stagesim.config.grammar;

import dev.stagesim.model.ShortestDouble;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The right side of an override, or an element of it: a scalar, a container, or a sweep over values. */
public sealed interface Value permits Value.Scalar, Value.Items, Value.Dict, SweepValue {
    /** A value without parts. */
    sealed interface Scalar extends Value {
        /** Returns the value as a string key receives it: as written, with quotes and escapes resolved. */
        String text();
    }

    /** The value {@code null}; {@code text} may be {@code NULL} in any case. */
    record Null(String text) implements Scalar {
        public static final Null NULL = new Null("null");
    }

    /** A boolean; {@code text} may be {@code True} in any case. */
    record Bool(boolean value, String text) implements Scalar {
        static Bool of(boolean value) {
            return new Bool(value, Boolean.toString(value));
        }
    }

    /** An integer of any size; {@code text} may be {@code +1_000}. */
    record Int(BigInteger value, String text) implements Scalar {
        static Int of(BigInteger value) {
            return new Int(value, value.toString());
        }

        static Int of(long value) {
            return of(BigInteger.valueOf(value));
        }
    }

    /** A double, including infinities and NaN; {@code text} may be {@code 1e3} or {@code -inf}. */
    record Real(double value, String text) implements Scalar {
        /** Returns a value with its shortest text. */
        static Real of(double value) {
            return new Real(value, ShortestDouble.of(value));
        }
    }

    /** An unquoted string with resolved escapes. It may contain dollar-brace interpolations. */
    record Text(String text) implements Scalar {
        public static final Text EMPTY = new Text("");
    }

    /** A quoted string. It may contain dollar-brace interpolations. */
    record Quoted(String text, char quote) implements Scalar {}

    record Items(List<Value> items) implements Value {
        public Items {
            items = List.copyOf(items);
        }
    }

    /** A map in the order written. Of equal keys, the last value replaces the first at its position. */
    record Dict(List<Entry> entries) implements Value {
        /** One pair. The key is typed in Hydra's dialect and always a string in the stage dialect. */
        public record Entry(Scalar key, Value value) {}

        public Dict {
            Map<Object, Entry> unique = new LinkedHashMap<>();
            for (Entry entry : entries) {
                unique.merge(identity(entry.key()), entry, (first, later) -> new Entry(first.key(), later.value()));
            }
            entries = List.copyOf(unique.values());
        }

        /**
         * Returns an object that is equal for equal map keys: {@code 1}, {@code 1.0} and {@code true} are equal, as in
         * Python.
         */
        public static Object identity(Scalar scalar) {
            if (scalar instanceof Null) {
                return Null.class;
            }
            if (scalar instanceof Real real && !Double.isFinite(real.value())) {
                return real.value();
            }
            return Types.isNumber(scalar) ? Types.exact(scalar).stripTrailingZeros() : scalar.text();
        }
    }
}
