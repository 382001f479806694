package dev.stagesim.io.json;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Builds a JSON object member by member. */
public final class JsonObjectBuilder {
    private final Map<String, JsonValue> members = new LinkedHashMap<>();

    JsonObjectBuilder() {}

    public JsonObjectBuilder put(String name, JsonValue value) {
        if (members.put(name, value) != null) {
            throw new IllegalStateException("member " + name + " put twice");
        }
        return this;
    }

    public JsonObjectBuilder put(String name, JsonObjectBuilder value) {
        return put(name, value.build());
    }

    /** Adds an array of integers. */
    public JsonObjectBuilder put(String name, Collection<Integer> values) {
        return put(
                name,
                JsonValue.of(
                        values.stream().map(value -> JsonValue.of((long) value)).toList()));
    }

    public JsonObjectBuilder put(String name, String value) {
        return put(name, JsonValue.of(value));
    }

    public JsonObjectBuilder put(String name, long value) {
        return put(name, JsonValue.of(value));
    }

    public JsonObjectBuilder put(String name, double value) {
        return put(name, JsonValue.of(value));
    }

    public JsonObjectBuilder put(String name, boolean value) {
        return put(name, JsonValue.of(value));
    }

    /** Adds the value, or null if it is empty. */
    public JsonObjectBuilder putOrNull(String name, Optional<String> value) {
        return put(name, value.map(JsonValue::of).orElse(JsonValue.NULL));
    }

    public JsonValue.Obj build() {
        return new JsonValue.Obj(members);
    }
}
