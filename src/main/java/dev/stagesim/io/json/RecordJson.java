package dev.stagesim.io.json;

import dev.stagesim.contract.Member;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Maps records to JSON objects and back: each component is a member, named in snake case.
 *
 * <p>Components are text, numbers, truth values, enums, records, JSON, and optionals, lists and maps of these.
 */
public final class RecordJson {
    private RecordJson() {}

    /** The object of a record; an empty optional is null. */
    public static JsonValue.Obj write(Record record) {
        return object(record, true);
    }

    /** The object of a record without its empty optionals; numbers that are whole are written so. */
    public static JsonValue.Obj sparse(Record record) {
        return object(record, false);
    }

    /** The object of a document, with the version of its contract. */
    static JsonValue.Obj document(Record record, int version) {
        Map<String, JsonValue> members = new LinkedHashMap<>(write(record).members());
        members.put("schema_version", JsonValue.of(version));
        return JsonValue.of(members);
    }

    private static JsonValue.Obj object(Record record, boolean full) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        for (RecordComponent component : KeyRecord.components(record.getClass())) {
            Object own = KeyRecord.value(component, record);
            if ((full && !isLeftOut(component)) || !Optional.empty().equals(own)) {
                members.put(KeyNames.snake(component.getName()), value(own, full));
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

    /** The record of an object, which must have every member; others are left for the caller to refuse. */
    public static <R extends Record> R read(JsonAt at, Class<R> type) {
        return KeyRecord.make(type, component -> {
            String name = KeyNames.snake(component.getName());
            return isLeftOut(component) && !at.has(name)
                    ? Optional.empty()
                    : value(at.get(name), component.getGenericType());
        });
    }

    private static Object value(JsonAt at, Type type) {
        if (type instanceof ParameterizedType generic) {
            return generic(at, (Class<?>) generic.getRawType(), generic.getActualTypeArguments());
        }
        if (type == String.class) {
            return at.asString();
        }
        if (type == Boolean.class || type == boolean.class) {
            return at.asBool();
        }
        if (type == Long.class || type == long.class) {
            return at.asLong();
        }
        if (type == Integer.class || type == int.class) {
            return at.asInt();
        }
        if (type == Double.class || type == double.class) {
            return at.asDouble();
        }
        return type == JsonValue.Obj.class ? at.object() : read(at, ((Class<?>) type).asSubclass(Record.class));
    }

    private static Object generic(JsonAt at, Class<?> raw, Type[] arguments) {
        if (raw == Optional.class) {
            return at.isNull() ? Optional.empty() : Optional.of(value(at, arguments[0]));
        }
        if (raw == List.class) {
            return at.items().stream().map(item -> value(item, arguments[0])).toList();
        }
        Map<String, Object> map = new TreeMap<>();
        at.members().forEach((name, member) -> map.put(name, value(member, arguments[1])));
        return map;
    }
}
