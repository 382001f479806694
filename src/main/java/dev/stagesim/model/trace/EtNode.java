package dev.stagesim.model.trace;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One step of a processor in an execution trace.
 *
 * @param id identity within the trace, an unsigned 64-bit number
 * @param name name for people
 * @param typeNumber number of the type, kept even where the schema does not name it
 * @param ctrlDeps nodes that must be done before, for reasons of control; not to be changed
 * @param dataDeps nodes that must be done before, for their data; not to be changed
 * @param startTimeMicros recorded start in microseconds, unsigned; 0 when unknown
 * @param durationMicros recorded duration in microseconds, unsigned
 * @param inputs what goes in
 * @param outputs what comes out
 * @param attributes further facts in file order
 * @param unknown fields that the schema does not name, as in the file
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

    /** A node without dependencies, times, inputs and outputs. */
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

    /** The last attribute of this name. */
    public Optional<EtAttribute> attribute(String wanted) {
        for (int i = attributes.size() - 1; i >= 0; i--) {
            if (attributes.get(i).name().equals(wanted)) {
                return Optional.of(attributes.get(i));
            }
        }
        return Optional.empty();
    }

    /** The attribute of this name if it is a whole number or truth value of any kind. */
    public OptionalLong longAttribute(String wanted) {
        return attribute(wanted).map(EtAttribute::asLong).orElse(OptionalLong.empty());
    }

    /** The attribute of this name if it is a text. */
    public Optional<String> textAttribute(String wanted) {
        return attribute(wanted)
                .flatMap(attribute ->
                        attribute.value() instanceof EtValue.Text text ? Optional.of(text.value()) : Optional.empty());
    }

    private EtNode with(long[] data, long start, long duration, List<EtAttribute> facts) {
        return new EtNode(id, name, typeNumber, ctrlDeps, data, start, duration, inputs, outputs, facts, unknown);
    }

    /** This node with other dependencies for data. */
    public EtNode withDataDeps(long... ids) {
        return with(ids, startTimeMicros, durationMicros, attributes);
    }

    /** This node with other times, in microseconds. */
    public EtNode withTimes(long start, long duration) {
        return with(dataDeps, start, duration, attributes);
    }

    /** This node with a duration in microseconds. */
    public EtNode withDuration(long duration) {
        return withTimes(startTimeMicros, duration);
    }

    /** This node with other attributes. */
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
