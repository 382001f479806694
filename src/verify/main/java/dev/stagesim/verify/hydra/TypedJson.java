package dev.stagesim.verify.hydra;

import dev.stagesim.config.interp.Datum;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.ShortestDouble;
import java.util.stream.Collectors;

/** Compares values in the corpus' typed notation, {@code {"t": "int", "v": "1"}}. */
final class TypedJson {
    private TypedJson() {}

    /** Returns a compact text of a recorded value. Equal values have equal texts. */
    static String text(LocatedJson recorded) {
        String type = recorded.get("t").asString();
        return switch (type) {
            case "null" -> "null";
            case "list" ->
                recorded.get("v").items().stream().map(TypedJson::text).toList().toString();
            case "dict" ->
                recorded.get("v").items().stream()
                        .map(pair -> text(pair.items().get(0)) + "="
                                + text(pair.items().get(1)))
                        .collect(Collectors.joining(", ", "{", "}"));
            case "float" -> "float " + real(recorded.get("v").asString());
            default -> type + " " + recorded.get("v").asString();
        };
    }

    /** Returns the text of an evaluated value. */
    static String text(Datum value, boolean textKeys) {
        if (value instanceof Datum.Sequence list) {
            return list.items().stream()
                    .map(item -> text(item, textKeys))
                    .toList()
                    .toString();
        }
        if (value instanceof Datum.Table table) {
            return table.entries().stream()
                    .map(entry -> key(entry.key(), textKeys) + "=" + text(entry.value(), textKeys))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        return scalar(((Datum.Atom) value).scalar());
    }

    /** Returns the text of a recorded value with all map keys as strings, as in HOCON. */
    static String withTextKeys(LocatedJson recorded) {
        String type = recorded.get("t").asString();
        if (type.equals("list")) {
            return recorded.get("v").items().stream()
                    .map(TypedJson::withTextKeys)
                    .toList()
                    .toString();
        }
        if (!type.equals("dict")) {
            return text(recorded);
        }
        return recorded.get("v").items().stream()
                .map(pair -> "str " + keyText(pair.items().get(0)) + "="
                        + withTextKeys(pair.items().get(1)))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String keyText(LocatedJson key) {
        return key.get("t").asString().equals("null") ? "null" : key.get("v").asString();
    }

    private static String key(ScalarNode key, boolean textKeys) {
        return textKeys ? "str " + key.text() : scalar(key);
    }

    private static String scalar(ScalarNode scalar) {
        Object value = scalar.value();
        return switch (scalar.kind()) {
            case NULL -> "null";
            case BOOL -> "bool " + value;
            case INT -> "int " + value;
            case FLOAT -> "float " + (value instanceof Double number ? ShortestDouble.of(number) : "");
            case STRING -> "str " + scalar.text();
        };
    }

    private static String real(String text) {
        return switch (text) {
            case "inf", "-inf", "nan" -> text;
            default -> ShortestDouble.of(Double.parseDouble(text));
        };
    }
}
