package dev.stagesim.model.trace;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Node of an execution trace: one operation of a processor.
 *
 * @param id node id within the trace, an unsigned 64-bit number
 * @param name human-readable name
 * @param typeNumber number of the type, preserved even if the schema does not define it
 * @param ctrlDeps ids of control dependencies; must not be modified
 * @param dataDeps ids of data dependencies; must not be modified
 * @param startTimeMicros recorded start in microseconds, unsigned; 0 if unknown
 * @param durationMicros recorded duration in microseconds, unsigned
 * @param inputs inputs of the operation
 * @param outputs outputs of the operation
 * @param attributes further properties in file order
 * @param unknown fields unknown to the schema, as in the file
 */
public record EtNode(
        long id,
        String name,
        int typeNumber,
        long[] ctrlDeps,
        long[] dataDeps,
        long startTimeMicros,
        long durationMicros,
        Optional<EtIo> inputs,
        Optional<EtIo> outputs,
        List<EtAttribute> attributes,
        byte[] unknown) {
    private static final long[] NO_DEPS = {};
    private static final byte[] NO_BYTES = {};

    public EtNode {
        attributes = List.copyOf(attributes);
    }

    /** Creates a node without dependencies, times, inputs and outputs. */
    public static EtNode of(long id, String name, NodeType type, EtAttribute... attributes) {
        return new EtNode(
                id,
                name,
                type.number(),
                NO_DEPS,
                NO_DEPS,
                0,
                0,
                Optional.empty(),
                Optional.empty(),
                List.of(attributes),
                NO_BYTES);
    }

    public NodeType type() {
        return NodeType.of(typeNumber);
    }

    /** Returns the last attribute with this name. */
    Optional<EtAttribute> attribute(String wanted) {
        for (int i = attributes.size() - 1; i >= 0; i--) {
            if (attributes.get(i).name().equals(wanted)) {
                return Optional.of(attributes.get(i));
            }
        }
        return Optional.empty();
    }

    /** Returns the attribute with this name if it is an integer or boolean of any kind. */
    public OptionalLong longAttribute(String wanted) {
        return attribute(wanted).map(EtAttribute::asLong).orElse(OptionalLong.empty());
    }

    /** Returns the attribute with this name if it is a string. */
    public Optional<String> textAttribute(String wanted) {
        return attribute(wanted)
                .flatMap(attribute ->
                        attribute.value() instanceof EtValue.Text text ? Optional.of(text.value()) : Optional.empty());
    }

    private EtNode with(long[] data, long start, long duration, List<EtAttribute> facts) {
        return new EtNode(id, name, typeNumber, ctrlDeps, data, start, duration, inputs, outputs, facts, unknown);
    }

    /** Returns a copy with other data dependencies. */
    public EtNode withDataDeps(long... ids) {
        return with(ids, startTimeMicros, durationMicros, attributes);
    }

    /** Returns a copy with other times in microseconds. */
    public EtNode withTimes(long start, long duration) {
        return with(dataDeps, start, duration, attributes);
    }

    /** Returns a copy with another duration in microseconds. */
    public EtNode withDuration(long duration) {
        return withTimes(startTimeMicros, duration);
    }

    /** Returns a copy with other attributes. */
    public EtNode withAttributes(List<EtAttribute> newAttributes) {
        return with(dataDeps, startTimeMicros, durationMicros, newAttributes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EtNode that
                && id == that.id
                && name.equals(that.name)
                && typeNumber == that.typeNumber
                && Arrays.equals(ctrlDeps, that.ctrlDeps)
                && Arrays.equals(dataDeps, that.dataDeps)
                && startTimeMicros == that.startTimeMicros
                && durationMicros == that.durationMicros
                && inputs.equals(that.inputs)
                && outputs.equals(that.outputs)
                && attributes.equals(that.attributes)
                && Arrays.equals(unknown, that.unknown);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(id) + name.hashCode();
    }

    @Override
    public String toString() {
        return "node " + Long.toUnsignedString(id) + " " + name + " (" + type() + ", after " + Arrays.toString(dataDeps)
                + " and " + Arrays.toString(ctrlDeps) + ")";
    }
}
