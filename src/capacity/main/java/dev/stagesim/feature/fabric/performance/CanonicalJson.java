package dev.stagesim.feature.fabric.performance;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyRecord;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Converts records to canonical JSON; the digest of the text identifies an evaluation. */
final class CanonicalJson {
    private CanonicalJson() {}

    static JsonValue of(Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.isEmpty() ? JsonValue.NULL : of(optional.get());
        }
        if (value instanceof Integer || value instanceof Long) {
            return JsonValue.of(((Number) value).longValue());
        }
        if (value instanceof Double number) {
            return JsonValue.of((double) number);
        }
        if (value instanceof Boolean flag) {
            return JsonValue.of((boolean) flag);
        }
        if (value instanceof List<?> list) {
            return JsonValue.of(list.stream().map(CanonicalJson::of).toList());
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            map.forEach((key, item) -> members.put(key.toString(), of(item)));
            return JsonValue.of(members);
        }
        return value instanceof Record fields ? record(fields) : JsonValue.of(value.toString());
    }

    private static JsonValue record(Record fields) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("type", JsonValue.of(fields.getClass().getSimpleName()));
        for (RecordComponent component : KeyRecord.components(fields.getClass())) {
            members.put(component.getName(), of(KeyRecord.value(component, fields)));
        }
        return JsonValue.of(members);
    }
}
