package dev.stagesim.config.interp;

import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.ShortestDouble;
import java.util.Locale;
import java.util.stream.Collectors;

/** Renders values as Python's {@code str} and {@code repr} do. */
final class PythonText {
    private PythonText() {}

    static String str(Datum value) {
        return value instanceof Datum.Atom atom && value.isString()
                ? atom.scalar().text()
                : repr(value);
    }

    static String repr(Datum value) {
        if (value instanceof Datum.Atom atom) {
            return repr(atom.scalar());
        }
        if (value instanceof Datum.Sequence list) {
            return list.items().stream().map(PythonText::repr).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Datum.Table table) {
            return table.entries().stream()
                    .map(entry -> repr(entry.key()) + ": " + repr(entry.value()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        // sections are shown as written, with their interpolations unresolved
        return ((Datum.Section) value).raw().inline(PythonText::repr, PythonText::quote);
    }

    private static String repr(ScalarNode scalar) {
        Object value = scalar.value();
        return switch (scalar.kind()) {
            case NULL -> "None";
            case BOOL -> Boolean.TRUE.equals(value) ? "True" : "False";
            case FLOAT -> value instanceof Double number ? ShortestDouble.of(number) : scalar.text();
            case INT -> String.valueOf(value);
            case STRING -> quote(scalar.text());
        };
    }

    private static String quote(String text) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder out = new StringBuilder().append(quote);
        text.codePoints().forEach(c -> out.append(escape(c, quote)));
        return out.append(quote).toString();
    }

    private static String escape(int c, char quote) {
        if (c == quote || c == '\\') {
            return "\\" + (char) c;
        }
        if (c == '\n') {
            return "\\n";
        }
        if (c == '\r') {
            return "\\r";
        }
        if (c == '\t') {
            return "\\t";
        }
        if (c < ' ' || (c >= 0x7f && c <= 0xa0) || c == 0xad) {
            return String.format(Locale.ROOT, "\\x%02x", c);
        }
        return Character.toString(c);
    }
}
