package dev.stagesim.model.trace;

import java.util.Locale;

/** The kind of an attribute's value, or of the entries of its list; signed, unsigned and fixed ones differ in a file. */
public enum EtKind {
    DOUBLE(3),
    FLOAT(5),
    INT32(7),
    INT64(9),
    UINT32(11),
    UINT64(13),
    SINT32(15),
    SINT64(17),
    FIXED32(19),
    FIXED64(21),
    SFIXED32(23),
    SFIXED64(25),
    BOOL(27),
    STRING(29),
    BYTES(31);

    private static final EtKind[] ALL = values();

    /** Least and greatest number of a field that holds a value. */
    public static final int FIRST_FIELD = 3;

    public static final int LAST_FIELD = 32;

    private final int field;

    EtKind(int field) {
        this.field = field;
    }

    /** Number of the field that holds one value; a list's field has the next number. */
    public int field() {
        return field;
    }

    /** The kind whose value or list is in this field, {@value #FIRST_FIELD} to {@value #LAST_FIELD}. */
    public static EtKind ofField(int field) {
        return ALL[(field - FIRST_FIELD) / 2];
    }

    /** Whether the field holds a list of values. */
    public static boolean isList(int field) {
        return field % 2 == 0;
    }

    /** Name of the kind as the schema spells it, for example {@code uint64}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether values are whole numbers or truth values, kept in a {@code long}. */
    public boolean isWhole() {
        return this != DOUBLE && this != FLOAT && this != STRING && this != BYTES;
    }

    /** Whether values are floating-point numbers. */
    public boolean isReal() {
        return this == DOUBLE || this == FLOAT;
    }

    /** Whether whole numbers are to be read as unsigned 64-bit numbers. */
    public boolean isUnsignedLong() {
        return this == UINT64 || this == FIXED64;
    }
}
