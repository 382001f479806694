package dev.stagesim.io.json;

import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.JsonField;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Selects the members of a JSON artifact that are part of its digest. */
public final class DigestedMembers {
    private DigestedMembers() {}

    public static JsonValue.Obj of(JsonArtifact artifact, JsonValue.Obj document) {
        return steady(artifact.fields(), document);
    }

    private static JsonValue.Obj steady(List<JsonField> fields, JsonValue.Obj document) {
        Map<String, JsonValue> kept = new LinkedHashMap<>();
        for (JsonField field : fields) {
            JsonValue value = document.members().get(field.name());
            if (value != null && field.steady()) {
                kept.put(field.name(), field.fields().isEmpty() ? value : steady(field, value));
            }
        }
        return new JsonValue.Obj(kept);
    }

    private static JsonValue steady(JsonField field, JsonValue value) {
        if (value instanceof JsonValue.Obj object) {
            return steady(field.fields(), object);
        }
        if (value instanceof JsonValue.Arr array) {
            return JsonValue.of(array.items().stream()
                    .map(item -> item instanceof JsonValue.Obj object ? steady(field.fields(), object) : item)
                    .toList());
        }
        return value;
    }
}
