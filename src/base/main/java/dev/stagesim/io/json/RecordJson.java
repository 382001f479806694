package dev.stagesim.io.json;

import dev.stagesim.contract.Member;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Maps records to JSON objects: each component is a member, named in snake case. {@link JsonBinder} reads them.
 *
 * <p>Components are text, numbers, booleans, enums, records, JSON, and optionals, lists and maps of these.
 */
public final class RecordJson {
    private RecordJson() {}

    /** Returns the object of a record; an empty optional is null. */
    public static JsonValue.Obj write(Record record) {
        return object(record, true);
    }

    /** Returns the object of a record without its empty optionals. Whole numbers are written without a fraction. */
    public static JsonValue.Obj sparse(Record record) {
        return object(record, false);
    }

    /** Returns the object of a document with its contract version. */
    static JsonValue.Obj document(Record record, int version) {
        Map<String, JsonValue> members = new LinkedHashMap<>(write(record).members());
        members.put("schema_version", JsonValue.of(version));
        return JsonValue.of(members);
    }

    private static JsonValue.Obj object(Record record, boolean full) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        for (RecordComponent component : KeyRecord.components(record.getClass())) {
            Object member = KeyRecord.value(component, record);
            if ((full && !isLeftOut(component)) || !Optional.empty().equals(member)) {
                members.put(KeyNames.snake(component.getName()), value(member, full));
            }
        }
        return JsonValue.of(members);
    }

    private static boolean isLeftOut(RecordComponent component) {
        Member member = component.getAnnotation(Member.class);
        return member != null && member.isLeftOut();
    }

    private static JsonValue value(Object value, boolean full) {
        if (value instanceof JsonValue json) {
            return json;
        }
        if (value instanceof Optional<?> optional) {
            return optional.isPresent() ? value(optional.get(), full) : JsonValue.NULL;
        }
        if (value instanceof Record record) {
            return object(record, full);
        }
        if (value instanceof List<?> list) {
            return JsonValue.of(list.stream().map(item -> value(item, full)).toList());
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            map.forEach((key, item) -> members.put((String) key, value(item, full)));
            return JsonValue.of(members);
        }
        if (value instanceof Boolean flag) {
            return JsonValue.of((boolean) flag);
        }
        if (value instanceof Number number) {
            boolean whole = !(number instanceof Double real) || (!full && real == Math.rint(real));
            return whole ? JsonValue.of(number.longValue()) : JsonValue.of(number.doubleValue());
        }
        return JsonValue.of(value instanceof Enum<?> constant ? KeyNames.constant(constant) : value.toString());
    }
}
