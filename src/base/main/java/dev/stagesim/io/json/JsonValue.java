package dev.stagesim.io.json;

import java.math.BigInteger;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A JSON value as plain data. Objects keep the order of their members. */
// without default methods, records do not initialise the interface, so its constants cannot deadlock
@SuppressWarnings("ClassInitializationDeadlock")
public sealed interface JsonValue {
    /** An object with its members in order. */
    record Obj(Map<String, JsonValue> members) implements JsonValue {
        public Obj {
            members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        }

        public Optional<JsonValue> get(String name) {
            return Optional.ofNullable(members.get(name));
        }

        /** Returns this object with one more member, or with a member replaced. */
        public Obj with(String name, JsonValue value) {
            Map<String, JsonValue> copy = new LinkedHashMap<>(members);
            copy.put(name, value);
            return new Obj(copy);
        }

        /** Returns this object without some members. */
        public Obj without(Collection<String> names) {
            Map<String, JsonValue> copy = new LinkedHashMap<>(members);
            copy.keySet().removeAll(names);
            return new Obj(copy);
        }
    }

    /** An array. */
    record Arr(List<JsonValue> items) implements JsonValue {
        public Arr {
            items = List.copyOf(items);
        }
    }

    /** A string. */
    record Str(String value) implements JsonValue {}

    /** A number written without point or exponent that fits 64 bits. */
    record Int(long value) implements JsonValue {}

    /** A number written without point or exponent that does not fit 64 bits. */
    record Big(BigInteger value) implements JsonValue {}

    /** Any other number; NaN and infinities only if the reader accepts them. */
    record Real(double value) implements JsonValue {}

    /** {@code true} or {@code false}. */
    record Bool(boolean value) implements JsonValue {}

    /** {@code null}. */
    record Null() implements JsonValue {}

    Null NULL = new Null();
    Obj EMPTY = new Obj(Map.of());

    static JsonValue of(String value) {
        return new Str(value);
    }

    static JsonValue of(long value) {
        return new Int(value);
    }

    static JsonValue of(double value) {
        return new Real(value);
    }

    static JsonValue of(boolean value) {
        return new Bool(value);
    }

    static Arr of(List<? extends JsonValue> items) {
        return new Arr(List.copyOf(items));
    }

    static Obj of(Map<String, ? extends JsonValue> members) {
        return new Obj(new LinkedHashMap<>(members));
    }

    static Arr strings(Collection<String> items) {
        return new Arr(items.stream().map(JsonValue::of).toList());
    }

    static JsonObjectBuilder object() {
        return new JsonObjectBuilder();
    }
}
