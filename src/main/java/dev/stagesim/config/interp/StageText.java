package dev.stagesim.config.interp;

import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.ShortestDouble;
import java.util.stream.Collectors;

/** Renders values as our own embedded text: scalars as a configuration would write them, containers as JSON. */
final class StageText {
    private StageText() {}

    /** Text of a plain value; sections must have been resolved before. */
    static String of(Datum value) {
        return value instanceof Datum.Atom atom && value.isString()
                ? atom.scalar().text()
                : json(value);
    }

    static String json(Datum value) {
        if (value instanceof Datum.Atom atom) {
            return json(atom.scalar());
        }
        if (value instanceof Datum.Sequence list) {
            return list.items().stream().map(StageText::json).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Datum.Table table) {
            return table.entries().stream()
                    .map(entry -> Json.quoted(entry.key().text()) + ": " + json(entry.value()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        throw new IllegalStateException("an unresolved section has no text");
    }

    private static String json(ScalarNode scalar) {
        Object value = scalar.value();
        if (scalar.kind() == ScalarNode.Kind.STRING) {
            return Json.quoted(scalar.text());
        }
        return value instanceof Double number ? ShortestDouble.of(number) : String.valueOf(value);
    }
}
