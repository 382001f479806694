package dev.stagesim.config.grammar;

import java.util.Locale;
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
            return string(scalar.text());
        }
        if (value instanceof ListValue list) {
            return list.items().stream().map(JsonText::write).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof DictValue dict) {
            return dict.entries().stream()
                    .map(entry -> string(entry.key().text()) + ": " + write(entry.value()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        throw new CallFault(Types.name(value) + " has no JSON form");
    }

    private static String string(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < 0x20 || (Character.isSurrogate(c) && !isPaired(text, i))) {
                        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.append('"').toString();
    }

    private static boolean isPaired(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
                : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
    }
}
