package dev.stagesim.config.interp;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.ShortestDouble;
import java.util.Locale;
import java.util.stream.Collectors;

/** The meaning of interpolations. Each method is one difference between the stage dialect, OmegaConf 2.4 and 2.3.1. */
record Semantics(boolean stageDialect, boolean sinceHydra14) {
    static Semantics of(Dialect dialect) {
        return new Semantics(dialect.isStage(), dialect.isSinceHydra14());
    }

    /** Returns the text of a value inside a string. */
    String text(Datum value, Evaluation evaluation) {
        return stageDialect ? StageText.of(evaluation.plain(value)) : PythonText.str(value);
    }

    /** True if a tree with an invalid expression is rejected even when the expression is not evaluated. */
    boolean checksUnusedExpressions() {
        return !stageDialect;
    }

    /** True if the value of an interpolation may be part of a key: text, or since OmegaConf 2.4 an index. */
    boolean isKey(Datum value) {
        return value.isString()
                || (sinceHydra14
                        && value instanceof Datum.Atom atom
                        && atom.scalar().kind() == ScalarNode.Kind.INT);
    }

    /** True if negative indexes count from the end of a list. */
    boolean countsFromEnd() {
        return sinceHydra14;
    }

    /**
     * True if a key above the root counts as absent for resolvers, and if they receive missing mandatory values as
     * {@code ???}.
     */
    boolean hasLenientLookup() {
        return stageDialect;
    }

    /** Returns the value of a missing mandatory value that is evaluated alone: null, and since OmegaConf 2.4 an error. */
    Datum alone(Datum value) {
        boolean vanishes = !stageDialect
                && value instanceof Datum.Atom atom
                && atom.scalar().isMissing();
        if (vanishes && sinceHydra14) {
            throw InterpolationException.of(
                    InterpolationException.Kind.MISSING, "the interpolation gives a missing mandatory value");
        }
        return vanishes ? Datum.ofNull() : value;
    }

    /** Formats values as Python's {@code str} and {@code repr} do. */
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
            // sections are formatted as written, with unresolved interpolations
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
