package dev.stagesim.io.json;

import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.JsonField;
import java.util.List;
import java.util.Map;

/** Derives JSON Schemas (draft 2020-12) from declared JSON artifacts. */
public final class ArtifactSchemas {
    private ArtifactSchemas() {}

    public static JsonValue schema(JsonArtifact artifact) {
        JsonValue version = JsonValue.object().put("const", artifact.version()).build();
        return object(artifact.fields(), Map.of("schema_version", version))
                .with("$schema", JsonValue.of("https://json-schema.org/draft/2020-12/schema"))
                .with("title", JsonValue.of(artifact.name()))
                .with("description", JsonValue.of(artifact.doc()));
    }

    private static JsonValue.Obj object(List<JsonField> fields) {
        return object(fields, Map.of());
    }

    private static JsonValue.Obj object(List<JsonField> fields, Map<String, JsonValue> fixed) {
        JsonObjectBuilder properties = JsonValue.object();
        fields.forEach(field -> properties.put(field.name(), fixed.getOrDefault(field.name(), property(field))));
        return JsonValue.object()
                .put("type", "object")
                .put("additionalProperties", false)
                .put("properties", properties.build())
                .put(
                        "required",
                        JsonValue.strings(fields.stream()
                                .filter(JsonField::required)
                                .map(JsonField::name)
                                .toList()))
                .build();
    }

    private static JsonValue property(JsonField field) {
        JsonValue.Obj plain =
                switch (field.type()) {
                    case STRING -> type("string");
                    case INTEGER -> type("integer").with("minimum", JsonValue.of(0));
                    case NUMBER -> type("number");
                    case BOOLEAN -> type("boolean");
                    case INSTANT -> type("string").with("format", JsonValue.of("date-time"));
                    case SHA256 -> type("string").with("pattern", JsonValue.of("^[0-9a-f]{64}$"));
                    case STRINGS -> type("array").with("items", type("string"));
                    case INTERVAL -> interval();
                    case OBJECT -> object(field.fields());
                    case OBJECTS -> type("array").with("items", object(field.fields()));
                    case NUMBERS -> type("object").with("additionalProperties", type("number"));
                    case FREE -> type("object");
                    case ANY -> JsonValue.EMPTY;
                };
        if (!field.nullable()) {
            return plain.with("description", JsonValue.of(field.doc()));
        }
        return JsonValue.object()
                .put("description", field.doc())
                .put("anyOf", JsonValue.of(List.of(plain, type("null"))))
                .build();
    }

    private static JsonValue.Obj interval() {
        return type("array")
                .with(
                        "items",
                        JsonValue.object()
                                .put("type", JsonValue.strings(List.of("number", "null")))
                                .build())
                .with("minItems", JsonValue.of(2))
                .with("maxItems", JsonValue.of(2));
    }

    private static JsonValue.Obj type(String name) {
        return JsonValue.object().put("type", name).build();
    }
}
