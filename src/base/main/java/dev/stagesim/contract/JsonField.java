package dev.stagesim.contract;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One member of a JSON artifact.
 *
 * @param name member name
 * @param type kind of value
 * @param nullable true if the value can be null
 * @param required false if the member can be absent
 * @param steady false if the value can differ between two runs of the same configuration; digests and byte comparisons
 *     omit such members
 * @param doc one sentence for the generated reference
 * @param fields members of the object, or of each object of the list
 */
public record JsonField(
        String name,
        Type type,
        boolean nullable,
        boolean required,
        boolean steady,
        String doc,
        List<JsonField> fields) {
    /** Kinds of values. */
    public enum Type {
        STRING,
        INTEGER, // Integer from 0.
        NUMBER, // Finite number.
        BOOLEAN,
        INSTANT, // ISO-8601 instant in UTC.
        SHA256, // 64 lower-case hex digits.
        STRINGS,
        INTERVAL, // Lower and upper end of an interval; null for an open end.
        OBJECT, // Object with the declared members.
        OBJECTS, // List of objects with the declared members.
        NUMBERS, // Object with free member names and number values.
        FREE, // Object with free content.
        ANY // Any value.
    }

    public JsonField {
        fields = List.copyOf(fields);
    }

    /**
     * Reads one line of a declaration: {@code name | kind[?] [volatile] | meaning}. A question mark allows null,
     * brackets around the name make the member optional, and digests omit volatile members.
     */
    static JsonField of(Declaration line, List<JsonField> members) {
        return new JsonField(
                line.name(),
                Type.valueOf(line.kind().toUpperCase(Locale.ROOT)),
                line.isNullable(),
                !line.optional(),
                !line.qualifiers().contains("volatile"),
                line.doc(),
                members);
    }

    /** Returns the members that a record's components declare. */
    static List<JsonField> of(Class<?> record) {
        return KeyRecord.components(record).stream().map(JsonField::of).toList();
    }

    private static JsonField of(RecordComponent component) {
        Member member = component.getAnnotation(Member.class);
        if (member == null) {
            throw new IllegalStateException(component + " has no @Member");
        }
        java.lang.reflect.Type whole = component.getGenericType();
        boolean isOptional = component.getType() == Optional.class;
        java.lang.reflect.Type type = isOptional ? argument(whole) : whole;
        boolean isList = type instanceof ParameterizedType;
        java.lang.reflect.Type element = isList ? argument(type) : type;
        Class<?> raw = element instanceof Class<?> single ? single : Object.class;
        Type kind = member.kind().isEmpty()
                ? kind(raw, isList)
                : Type.valueOf(member.kind().toUpperCase(Locale.ROOT));
        return new JsonField(
                KeyNames.snake(component.getName()),
                kind,
                isOptional && !member.isLeftOut(),
                !member.isLeftOut(),
                true,
                member.value(),
                kind == Type.OBJECT || kind == Type.OBJECTS ? of(raw) : List.of());
    }

    private static java.lang.reflect.Type argument(java.lang.reflect.Type generic) {
        return ((ParameterizedType) generic).getActualTypeArguments()[0];
    }

    private static Type kind(Class<?> type, boolean isList) {
        if (type.isRecord()) {
            return isList ? Type.OBJECTS : Type.OBJECT;
        }
        if (type == String.class) {
            return isList ? Type.STRINGS : Type.STRING;
        }
        if (isList) {
            throw new IllegalStateException("no list of " + type.getName() + " is a member");
        }
        if (type.isInterface()) {
            return Type.ANY;
        }
        if (type == boolean.class || type == Boolean.class) {
            return Type.BOOLEAN;
        }
        return type == double.class || type == Double.class ? Type.NUMBER : Type.INTEGER;
    }
}
