package dev.stagesim.model.trace;

import dev.stagesim.model.KeyNames;

/** Kind of an attribute's value or list entries. Signed, unsigned and fixed numbers have different encodings. */
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

    /** Lowest and highest number of a value field. */
    public static final int FIRST_FIELD = 3;

    public static final int LAST_FIELD = 32;

    private final int field;

    EtKind(int field) {
        this.field = field;
    }

    /** Field number of a single value; the list has the next number. */
    public int field() {
        return field;
    }

    /** Returns the kind of the value or list in this field, {@value #FIRST_FIELD} to {@value #LAST_FIELD}. */
    public static EtKind ofField(int field) {
        return ALL[(field - FIRST_FIELD) / 2];
    }

    /** True if the field contains a list of values. */
    public static boolean isList(int field) {
        return field % 2 == 0;
    }

    /** Name of the kind in the schema, for example {@code uint64}. */
    public String label() {
        return KeyNames.constant(this);
    }

    /** True if values are integers or booleans, stored as {@code long}. */
    public boolean isWhole() {
        return this != DOUBLE && this != FLOAT && this != STRING && this != BYTES;
    }

    /** True if values are floating-point numbers. */
    public boolean isReal() {
        return this == DOUBLE || this == FLOAT;
    }

    /** True if values are unsigned 64-bit numbers. */
    public boolean isUnsignedLong() {
        return this == UINT64 || this == FIXED64;
    }
}
