package dev.stagesim.config.interp;

import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.ShortestDouble;

/** Formats values that are embedded in strings: scalars as in a configuration, containers as JSON. */
final class StageText {
    private StageText() {}

    /** Returns the text of a plain value. Its sections must be resolved. */
    static String of(Datum value) {
        return value instanceof Datum.Atom atom && value.isString()
                ? atom.scalar().text()
                : json(value);
    }

    static String json(Datum value) {
        return Nodes.raw(value).inline(StageText::json, Json::quoted);
    }

    private static String json(ScalarNode scalar) {
        Object value = scalar.value();
        if (scalar.kind() == ScalarNode.Kind.STRING) {
            return Json.quoted(scalar.text());
        }
        return value instanceof Double number ? ShortestDouble.of(number) : String.valueOf(value);
    }
}
