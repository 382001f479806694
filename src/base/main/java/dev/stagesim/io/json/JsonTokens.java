package dev.stagesim.io.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts between Jackson's tokens and {@link JsonValue}s. */
final class JsonTokens {
    private JsonTokens() {}

    /** Reads the value that starts at the parser's current token. */
    static JsonValue read(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> new JsonValue.Str(parser.getText());
            case VALUE_NUMBER_INT -> integer(parser);
            case VALUE_NUMBER_FLOAT -> new JsonValue.Real(parser.getDoubleValue());
            case VALUE_TRUE -> new JsonValue.Bool(true);
            case VALUE_FALSE -> new JsonValue.Bool(false);
            case VALUE_NULL -> JsonValue.NULL;
            default -> throw new IllegalStateException("unexpected JSON token " + parser.currentToken());
        };
    }

    private static JsonValue integer(JsonParser parser) throws IOException {
        return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                ? new JsonValue.Big(parser.getBigIntegerValue())
                : new JsonValue.Int(parser.getLongValue());
    }

    private static JsonValue object(JsonParser parser) throws IOException {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            members.put(name, read(parser));
        }
        return new JsonValue.Obj(members);
    }

    private static JsonValue array(JsonParser parser) throws IOException {
        List<JsonValue> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(read(parser));
        }
        return new JsonValue.Arr(items);
    }

    static void write(JsonValue value, JsonGenerator out) throws IOException {
        if (value instanceof JsonValue.Obj object) {
            out.writeStartObject();
            for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
                out.writeFieldName(member.getKey());
                write(member.getValue(), out);
            }
            out.writeEndObject();
        } else if (value instanceof JsonValue.Arr array) {
            out.writeStartArray();
            for (JsonValue item : array.items()) {
                write(item, out);
            }
            out.writeEndArray();
        } else if (value instanceof JsonValue.Str text) {
            out.writeString(text.value());
        } else if (value instanceof JsonValue.Int number) {
            out.writeNumber(number.value());
        } else if (value instanceof JsonValue.Big number) {
            out.writeNumber(number.value());
        } else if (value instanceof JsonValue.Real number) {
            out.writeNumber(number.value());
        } else if (value instanceof JsonValue.Bool flag) {
            out.writeBoolean(flag.value());
        } else {
            out.writeNull();
        }
    }
}
