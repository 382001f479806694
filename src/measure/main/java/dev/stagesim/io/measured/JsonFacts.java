package dev.stagesim.io.measured;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import java.util.Map;
import java.util.TreeMap;

/** Extracts scalar values from JSON documents of other tools. */
public final class JsonFacts {
    private JsonFacts() {}

    /** Returns the scalar members except {@code except} and nulls. */
    public static JsonValue.Obj scalars(LocatedJson object, java.util.Collection<String> except) {
        Map<String, JsonValue> facts = new TreeMap<>();
        object.object().members().forEach((name, value) -> {
            boolean plain = !(value instanceof JsonValue.Obj
                    || value instanceof JsonValue.Arr
                    || value instanceof JsonValue.Null);
            if (plain && !except.contains(name)) {
                facts.put(name, finite(value));
            }
        });
        return JsonValue.of(facts);
    }

    /** Returns all scalars of an object, of nested objects and of arrays with one item, by their dotted path. */
    static Map<String, JsonValue> flat(LocatedJson object) {
        Map<String, JsonValue> facts = new TreeMap<>();
        flat("", object, facts);
        return facts;
    }

    private static void flat(String path, LocatedJson at, Map<String, JsonValue> facts) {
        if (at.isObject()) {
            at.members().forEach((name, member) -> flat(path.isEmpty() ? name : path + "." + name, member, facts));
        } else if (at.isArray() && at.items().size() == 1) {
            flat(path, at.items().get(0), facts);
        } else if (!at.isArray() && !at.isNull()) {
            facts.put(path, finite(at.value()));
        }
    }

    /** Returns a scalar as text, or an object or array as JSON. */
    public static String text(LocatedJson at) {
        return at.value() instanceof JsonValue.Str text ? text.value() : Json.compact(finite(at.value()));
    }

    /** Returns the value, with NaN and infinities as text because JSON has no such numbers. */
    public static JsonValue finite(JsonValue value) {
        return value instanceof JsonValue.Real real && !Double.isFinite(real.value())
                ? JsonValue.of(String.valueOf(real.value()))
                : value;
    }
}
