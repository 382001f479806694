package dev.stagesim.model.trace;

import java.util.Arrays;

/**
 * Inputs or outputs of a node, as text in the writer's format.
 *
 * @param unknown fields unknown to the schema, as in the file
 */
public record EtIo(String values, String shapes, String types, byte[] unknown) {
    public EtIo(String values, String shapes, String types) {
        this(values, shapes, types, new byte[0]);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EtIo that
                && values.equals(that.values)
                && shapes.equals(that.shapes)
                && types.equals(that.types)
                && Arrays.equals(unknown, that.unknown);
    }

    @Override
    public int hashCode() {
        return (values.hashCode() * 31 + shapes.hashCode()) * 31 + types.hashCode();
    }
}
