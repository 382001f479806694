package dev.stagesim.model.trace;

import java.util.Arrays;
import java.util.List;

/**
 * Value of an attribute: one record per shape, so that numbers stay primitive.
 *
 * <p>Whole numbers are longs: 32-bit kinds hold their value, {@code uint64} and {@code fixed64} its 64 bits, truth
 * values 0 or 1.
 */
public sealed interface EtValue {
    /** An attribute without a value. */
    record Unset() implements EtValue {}

    /** A whole number or truth value. */
    record Whole(EtKind kind, long value) implements EtValue {}

    /** A floating-point number; a {@code float} is kept widened. */
    record Real(EtKind kind, double value) implements EtValue {}

    /** A text. */
    record Text(String value) implements EtValue {}

    /** Bytes, not to be changed. */
    record Blob(byte[] value) implements EtValue {
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

    /** A list of whole numbers or truth values, not to be changed. */
    record Wholes(EtKind kind, long[] values) implements EtValue {
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

    /** A list of floating-point numbers, not to be changed. */
    record Reals(EtKind kind, double[] values) implements EtValue {
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

    /** A list of texts. */
    record Texts(List<String> values) implements EtValue {
        public Texts {
            values = List.copyOf(values);
        }
    }

    /** A list of byte strings. */
    record Blobs(List<Blob> values) implements EtValue {
        public Blobs {
            values = List.copyOf(values);
        }
    }
}
