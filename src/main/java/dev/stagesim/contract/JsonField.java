package dev.stagesim.contract;

import java.util.List;

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
        /** Integer from 0. */
        INTEGER,
        /** Finite number. */
        NUMBER,
        BOOLEAN,
        /** ISO-8601 instant in UTC. */
        INSTANT,
        /** 64 lower-case hex digits. */
        SHA256,
        STRINGS,
        /** Lower and upper end of an interval; null where it has no end. */
        INTERVAL,
        /** Object with the declared members. */
        OBJECT,
        /** List of objects with the declared members. */
        OBJECTS,
        /** Object with free member names and number values. */
        NUMBERS,
        /** Object with free content. */
        FREE,
        /** Any value. */
        ANY
    }

    public JsonField {
        fields = List.copyOf(fields);
    }

    static JsonField field(String name, Type type, String doc) {
        return new JsonField(name, type, false, true, true, doc, List.of());
    }

    static JsonField object(String name, Type type, String doc, List<JsonField> fields) {
        return new JsonField(name, type, false, true, true, doc, fields);
    }

    /** Returns this member as one that may be null. */
    JsonField orNull() {
        return new JsonField(name, type, true, required, steady, doc, fields);
    }

    /** Returns this member as one that may be absent. */
    JsonField orAbsent() {
        return new JsonField(name, type, nullable, false, steady, doc, fields);
    }

    /** Returns this member as one left out of digests. */
    JsonField inDigest(boolean counts) {
        return new JsonField(name, type, nullable, required, counts, doc, fields);
    }
}
