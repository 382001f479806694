package dev.stagesim.model.trace;

import java.util.Arrays;
import java.util.OptionalLong;

/**
 * Named value of a node or a trace.
 *
 * @param name name of the attribute; {@link EtNames} lists the names with a defined meaning
 * @param doc comment, usually empty
 * @param unknown fields unknown to the schema, as in the file
 */
public record EtAttribute(String name, String doc, EtValue value, byte[] unknown) {
    private static final byte[] NONE = {};

    public EtAttribute(String name, EtValue value) {
        this(name, "", value, NONE);
    }

    /** Creates a signed 64-bit number. */
    public static EtAttribute ofLong(String name, long value) {
        return new EtAttribute(name, new EtValue.Whole(EtKind.INT64, value));
    }

    /** Creates an unsigned 64-bit number from its bits. */
    public static EtAttribute ofUnsigned(String name, long value) {
        return new EtAttribute(name, new EtValue.Whole(EtKind.UINT64, value));
    }

    /** Creates a signed 32-bit number. */
    public static EtAttribute ofInt(String name, int value) {
        return new EtAttribute(name, new EtValue.Whole(EtKind.INT32, value));
    }

    public static EtAttribute ofBool(String name, boolean value) {
        return new EtAttribute(name, new EtValue.Whole(EtKind.BOOL, value ? 1 : 0));
    }

    public static EtAttribute ofText(String name, String value) {
        return new EtAttribute(name, new EtValue.Text(value));
    }

    /** Creates a list of booleans. */
    public static EtAttribute ofBools(String name, boolean... values) {
        long[] bits = new long[values.length];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = values[i] ? 1 : 0;
        }
        return new EtAttribute(name, new EtValue.Wholes(EtKind.BOOL, bits));
    }

    /** Returns the value if it is an integer or boolean of any kind. */
    public OptionalLong asLong() {
        return value instanceof EtValue.Whole whole ? OptionalLong.of(whole.value()) : OptionalLong.empty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EtAttribute that
                && name.equals(that.name)
                && doc.equals(that.doc)
                && value.equals(that.value)
                && Arrays.equals(unknown, that.unknown);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + value.hashCode();
    }

    @Override
    public String toString() {
        return name + "=" + value;
    }
}
