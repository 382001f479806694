package dev.stagesim.verify;

import dev.stagesim.io.json.JsonValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Puts JSON together that is compared with a recorded document. */
public final class JsonParts {
    private final Map<String, JsonValue> members = new LinkedHashMap<>();

    /** Adds a whole number. */
    public JsonParts with(String name, long value) {
        return with(name, new JsonValue.Int(value));
    }

    /** Adds a number. */
    public JsonParts with(String name, double value) {
        return with(name, new JsonValue.Real(value));
    }

    /** Adds a text. */
    public JsonParts with(String name, String value) {
        return with(name, new JsonValue.Str(value));
    }

    /** Adds true or false. */
    public JsonParts with(String name, boolean value) {
        return with(name, new JsonValue.Bool(value));
    }

    /** Adds any value. */
    public JsonParts with(String name, JsonValue value) {
        members.put(name, value);
        return this;
    }

    /** The object put together so far. */
    public JsonValue.Obj object() {
        return new JsonValue.Obj(members);
    }

    /** A list of whole numbers. */
    public static JsonValue.Arr ints(int... values) {
        return new JsonValue.Arr(
                Arrays.stream(values).<JsonValue>mapToObj(JsonValue.Int::new).toList());
    }

    /** A list of objects. */
    public static JsonValue.Arr list(List<JsonParts> parts) {
        List<JsonValue> items = new ArrayList<>();
        parts.forEach(part -> items.add(part.object()));
        return new JsonValue.Arr(items);
    }
}
