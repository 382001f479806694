package dev.stagesim.io.json;

import dev.stagesim.model.ShortestDouble;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Renders JSON values. Each value has one canonical text. */
final class JsonText {
    private static final int MAX_SHOWN_LENGTH = 40;
    private static final String HEX = "0123456789abcdef";

    /** Order by code point; {@link String#compareTo} orders by UTF-16 unit, which differs above U+FFFF. */
    private static final Comparator<String> BY_CODE_POINT =
            (a, b) -> Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());

    private final StringBuilder out = new StringBuilder();
    private final Style style;

    /** Layouts of a value. */
    private enum Style {
        COMPACT,
        PRETTY,
        /** Compact, for messages; can contain values that JSON does not allow. */
        SHOWN,
        /**
         * Format of Python's {@code json.dump(indent=2, sort_keys=True)}: ASCII only; can contain values that JSON does
         * not allow.
         */
        PYTHON
    }

    private JsonText(Style style) {
        this.style = style;
    }

    /** Sorted keys, 2-space indent, final newline. */
    static String pretty(JsonValue value) {
        JsonText text = new JsonText(Style.PRETTY);
        text.value(value, 1);
        return text.out.append('\n').toString();
    }

    /**
     * Returns the text that Python prints with a 2-space indent and sorted keys: ASCII only, NaN and infinities, no
     * final newline.
     */
    static String python(JsonValue value) {
        JsonText text = new JsonText(Style.PYTHON);
        text.value(value, 1);
        return text.out.toString();
    }

    /** Sorted keys, one line, no spaces, no final newline. */
    static String compact(JsonValue value) {
        JsonText text = new JsonText(Style.COMPACT);
        text.value(value, 1);
        return text.out.toString();
    }

    static String quoted(String text) {
        JsonText quoted = new JsonText(Style.COMPACT);
        quoted.quote(text);
        return quoted.out.toString();
    }

    /**
     * Describes a value for messages: {@code an object}, {@code an array of 3}, {@code the string "x"}, {@code 3.5}.
     */
    static String describe(JsonValue value) {
        if (value instanceof JsonValue.Obj) {
            return "an object";
        }
        if (value instanceof JsonValue.Arr arr) {
            return "an array of " + arr.items().size();
        }
        JsonText text = new JsonText(Style.SHOWN);
        text.value(value, 1);
        String all = text.out.toString();
        String shown = all.length() > MAX_SHOWN_LENGTH ? all.substring(0, MAX_SHOWN_LENGTH) + "..." : all;
        return value instanceof JsonValue.Str ? "the string " + shown : shown;
    }

    private void value(JsonValue value, int depth) {
        if (value instanceof JsonValue.Obj obj) {
            object(obj.members(), depth);
        } else if (value instanceof JsonValue.Arr arr) {
            array(arr.items(), depth);
        } else if (value instanceof JsonValue.Str str) {
            quote(str.value());
        } else if (value instanceof JsonValue.Int number) {
            out.append(number.value());
        } else if (value instanceof JsonValue.Big number) {
            out.append(number.value());
        } else if (value instanceof JsonValue.Real number) {
            real(number.value());
        } else if (value instanceof JsonValue.Bool bool) {
            out.append(bool.value());
        } else {
            out.append("null");
        }
    }

    private void real(double value) {
        if (Double.isFinite(value)) {
            out.append(ShortestDouble.of(value));
        } else if (style == Style.SHOWN || style == Style.PYTHON) {
            out.append(Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        } else {
            throw new IllegalStateException("JSON cannot represent " + value);
        }
    }

    private void object(Map<String, JsonValue> members, int depth) {
        if (members.isEmpty()) {
            out.append("{}");
            return;
        }
        Map<String, JsonValue> sorted = style == Style.PYTHON ? new TreeMap<>(BY_CODE_POINT) : new TreeMap<>();
        sorted.putAll(members);
        char separator = '{';
        for (Map.Entry<String, JsonValue> member : sorted.entrySet()) {
            out.append(separator);
            line(depth);
            quote(member.getKey());
            out.append(isIndented() ? ": " : ":");
            value(member.getValue(), depth + 1);
            separator = ',';
        }
        line(depth - 1);
        out.append('}');
    }

    private void array(List<JsonValue> items, int depth) {
        if (items.isEmpty()) {
            out.append("[]");
            return;
        }
        char separator = '[';
        for (JsonValue item : items) {
            out.append(separator);
            line(depth);
            value(item, depth + 1);
            separator = ',';
        }
        line(depth - 1);
        out.append(']');
    }

    private boolean isIndented() {
        return style == Style.PRETTY || style == Style.PYTHON;
    }

    private void line(int depth) {
        if (isIndented()) {
            out.append('\n').append("  ".repeat(depth));
        }
    }

    private void quote(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                default -> plain(c, text, i);
            }
        }
        out.append('"');
    }

    private void plain(char c, String text, int at) {
        // a lone surrogate has no UTF-8 form
        boolean isEscaped = c < ' '
                || c == 0x7f
                || (Character.isSurrogate(c) && !paired(text, at))
                || (style == Style.PYTHON && c > '~');
        if (isEscaped) {
            out.append("\\u")
                    .append(HEX.charAt(c >> 12))
                    .append(HEX.charAt((c >> 8) & 15))
                    .append(HEX.charAt((c >> 4) & 15))
                    .append(HEX.charAt(c & 15));
        } else {
            out.append(c);
        }
    }

    private static boolean paired(String text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                ? at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
    }
}
