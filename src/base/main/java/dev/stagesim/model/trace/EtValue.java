package dev.stagesim.model.trace;

import java.util.Arrays;
import java.util.List;

/**
 * Value of an attribute: one record per type, so that numbers stay primitive.
 *
 * <p>Integers are stored as longs: 32-bit kinds as their value, {@code uint64} and {@code fixed64} as their 64 bits,
 * booleans as 0 or 1.
 */
public sealed interface EtValue {
    /** Kind of the value or of the list entries; bytes for no value. */
    EtKind kind();

    /** Entries of a list, each as a value; empty for single values. */
    default List<EtValue> entries() {
        return List.of();
    }

    default boolean isList() {
        return false;
    }

    /** A list of values. */
    sealed interface ListValue extends EtValue {
        @Override
        default boolean isList() {
            return true;
        }
    }

    /** An attribute without a value. */
    record Unset() implements EtValue {
        @Override
        public EtKind kind() {
            return EtKind.BYTES;
        }
    }

    /** An integer or boolean. */
    record Whole(EtKind kind, long value) implements EtValue {}

    /** A floating-point number; a {@code float} is widened. */
    record Real(EtKind kind, double value) implements EtValue {}

    record Text(String value) implements EtValue {
        @Override
        public EtKind kind() {
            return EtKind.STRING;
        }
    }

    /** A byte string; must not be modified. */
    record Blob(byte[] value) implements EtValue {
        @Override
        public EtKind kind() {
            return EtKind.BYTES;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Blob blob && Arrays.equals(value, blob.value);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(value);
        }

        @Override
        public String toString() {
            return "Blob" + Arrays.toString(value);
        }
    }

    /** A list of integers or booleans; must not be modified. */
    record Wholes(EtKind kind, long[] values) implements ListValue {
        @Override
        public List<EtValue> entries() {
            return Arrays.stream(values)
                    .<EtValue>mapToObj(value -> new Whole(kind, value))
                    .toList();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Wholes list && kind == list.kind && Arrays.equals(values, list.values);
        }

        @Override
        public int hashCode() {
            return 31 * kind.hashCode() + Arrays.hashCode(values);
        }

        @Override
        public String toString() {
            return kind + Arrays.toString(values);
        }
    }

    /** A list of floating-point numbers; must not be modified. */
    record Reals(EtKind kind, double[] values) implements ListValue {
        @Override
        public List<EtValue> entries() {
            return Arrays.stream(values)
                    .<EtValue>mapToObj(value -> new Real(kind, value))
                    .toList();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Reals list && kind == list.kind && Arrays.equals(values, list.values);
        }

        @Override
        public int hashCode() {
            return 31 * kind.hashCode() + Arrays.hashCode(values);
        }

        @Override
        public String toString() {
            return kind + Arrays.toString(values);
        }
    }

    record Texts(List<String> values) implements ListValue {
        @Override
        public EtKind kind() {
            return EtKind.STRING;
        }

        @Override
        public List<EtValue> entries() {
            return values.stream().<EtValue>map(Text::new).toList();
        }

        public Texts {
            values = List.copyOf(values);
        }
    }

    /** A list of byte strings. */
    record Blobs(List<Blob> values) implements ListValue {
        @Override
        public EtKind kind() {
            return EtKind.BYTES;
        }

        @Override
        public List<EtValue> entries() {
            return List.copyOf(values);
        }

        public Blobs {
            values = List.copyOf(values);
        }
    }
}
