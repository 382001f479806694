package dev.stagesim.io.measured;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import java.util.Map;
import java.util.TreeMap;

/** Picks plain facts out of a foreign document so that they can be kept in ours. */
public final class JsonFacts {
    private JsonFacts() {}

    /** The members that are plain values, without those named in {@code except} and without nulls. */
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

    /** The plain values in an object and in the objects and single items below it, by their path with dots. */
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

    /** A plain value as text. An object or an array becomes JSON. */
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
