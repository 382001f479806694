package dev.stagesim.contract;

import java.util.List;
import java.util.Locale;

/**
 * One member of a JSON artifact.
 *
 * @param name member name
 * @param type kind of value
 * @param nullable true when the value may be null
 * @param required false when the member may be absent
 * @param steady false when the value may differ between two runs of the same question; such members are left out of
 *     digests and byte comparisons
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
        INTERVAL, // Lower and upper end of an interval; null where it has no end.
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
     * A member as a line says it: {@code name | kind[?] [volatile] | meaning}. A question mark lets it be null, brackets
     * around the name let it be absent, and what is volatile is left out of digests.
     */
    static JsonField of(Declaration line, List<JsonField> members) {
        return new JsonField(
                line.name(),
                Type.valueOf(line.kind().toUpperCase(Locale.ROOT)),
                line.isNullable(),
                !line.optional(),
                !line.qualities().contains("volatile"),
                line.doc(),
                members);
    }
}
