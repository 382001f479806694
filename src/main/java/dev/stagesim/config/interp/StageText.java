package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.FloatText;
import dev.stagesim.config.tree.ScalarNode;
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
                    .map(entry -> quote(entry.key().text()) + ": " + json(entry.value()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        throw new IllegalStateException("an unresolved section has no text");
    }

    private static String json(ScalarNode scalar) {
        Object value = scalar.value();
        if (scalar.kind() == ScalarNode.Kind.STRING) {
            return quote(scalar.text());
        }
        return value instanceof Double number ? FloatText.shortest(number) : String.valueOf(value);
    }

    private static String quote(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
