package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.ShortestDouble;
import java.util.Locale;
import java.util.stream.Collectors;

/** What interpolations mean: each method is one thing in which our rules and those of OmegaConf 2.3.1 differ. */
record Semantics(boolean own) {
    static Semantics of(Dialect dialect) {
        return new Semantics(dialect == Dialect.STAGE);
    }

    /** Text of a value inside a string. */
    String text(Datum value, Evaluation evaluation) {
        return own ? StageText.of(evaluation.plain(value)) : PythonText.str(value);
    }

    /** True when a tree with an expression that does not parse is refused, whether it is read or not. */
    boolean checksAll() {
        return !own;
    }

    /** True when what an interpolation gives may be part of a key: text, or in our rules an index. */
    boolean isKey(Datum value) {
        return value.isString()
                || (own && value instanceof Datum.Atom atom && atom.scalar().kind() == ScalarNode.Kind.INT);
    }

    /** True when resolvers find nothing above the root, and are told of mandatory values without a value as such. */
    boolean looksUpGently() {
        return own;
    }

    /** What a mandatory value without a value is, taken by itself. */
    Datum alone(Datum value) {
        boolean vanishes =
                !own && value instanceof Datum.Atom atom && atom.scalar().isMissing();
        return vanishes ? Datum.ofNull() : value;
    }

    /** Renders values as Python's {@code str} and {@code repr} do. */
    private static final class PythonText {
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
}
