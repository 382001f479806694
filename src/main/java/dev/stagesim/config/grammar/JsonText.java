package dev.stagesim.config.grammar;

import dev.stagesim.io.json.Json;
import java.util.stream.Collectors;

/** Writes values as one line of JSON and reads JSON as values. */
final class JsonText {
    private JsonText() {}

    /** Reads one JSON value; faults are {@link CallFault}s. */
    static Value read(String text) {
        return new JsonReader(text).read();
    }

    static String write(Value value) {
        if (value instanceof NullValue) {
            return "null";
        }
        if (value instanceof BoolValue bool) {
            return Boolean.toString(bool.value());
        }
        if (value instanceof IntValue integer) {
            return integer.value().toString();
        }
        if (value instanceof FloatValue real) {
            if (!Double.isFinite(real.value())) {
                throw new CallFault("JSON has no " + FloatText.shortest(real.value()));
            }
            return FloatText.shortest(real.value());
        }
        if (value instanceof Scalar scalar) {
            return Json.quoted(scalar.text());
        }
        if (value instanceof ListValue list) {
            return list.items().stream().map(JsonText::write).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof DictValue dict) {
            return dict.entries().stream()
                    .map(entry -> Json.quoted(entry.key().text()) + ": " + write(entry.value()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        throw new CallFault(Types.name(value) + " has no JSON form");
    }
}
