package dev.stagesim.io.fabric;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.ShortestDouble;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** JSON as Python prints it with two-space indent and sorted keys: ASCII only, no final newline. */
final class PythonJson {
    private static final Comparator<String> BY_CODE_POINT = (a, b) -> {
        int[] left = a.codePoints().toArray();
        int[] right = b.codePoints().toArray();
        return java.util.Arrays.compare(left, right);
    };

    private final StringBuilder out = new StringBuilder();

    private PythonJson() {}

    static String text(JsonValue value) {
        PythonJson json = new PythonJson();
        json.value(value, 1);
        return json.out.toString();
    }

    private void value(JsonValue value, int depth) {
        if (value instanceof JsonValue.Obj object) {
            object(object.members(), depth);
        } else if (value instanceof JsonValue.Arr array) {
            array(array.items(), depth);
        } else if (value instanceof JsonValue.Str text) {
            quote(text.value());
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
        } else {
            out.append(Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        }
    }

    private void object(Map<String, JsonValue> members, int depth) {
        if (members.isEmpty()) {
            out.append("{}");
            return;
        }
        Map<String, JsonValue> sorted = new TreeMap<>(BY_CODE_POINT);
        sorted.putAll(members);
        char separator = '{';
        for (Map.Entry<String, JsonValue> member : sorted.entrySet()) {
            out.append(separator);
            line(depth);
            quote(member.getKey());
            out.append(": ");
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

    private void line(int depth) {
        out.append('\n').append("  ".repeat(depth));
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
                default -> {
                    if (c < ' ' || c > '~') {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
