package dev.stagesim.model.trace;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Node of a trace in schema 0.0.1, the format of tagged 2.x releases of ASTRA-sim.
 *
 * @param id node id within the trace
 * @param name human-readable name
 * @param typeNumber number of a {@link LegacyNodeType}
 * @param parents nodes that must complete first; must not be modified
 * @param numbers the numeric fields that are present; 32-bit ones are unsigned
 * @param involvedDims network dimensions of a collective; must not be modified
 * @param unknown encoded fields that the schema does not define, copied without changes
 */
public record LegacyNode(
        long id,
        String name,
        int typeNumber,
        long[] parents,
        Map<LegacyField, Long> numbers,
        boolean[] involvedDims,
        byte[] unknown) {

    /** Creates a node without parents, numbers and dimensions. */
    public static LegacyNode of(long id, String name, LegacyNodeType type) {
        return new LegacyNode(
                id, name, type.number(), new long[0], new EnumMap<>(LegacyField.class), new boolean[0], new byte[0]);
    }

    /** Returns a copy with one more number. */
    public LegacyNode with(LegacyField field, long value) {
        Map<LegacyField, Long> more = new EnumMap<>(LegacyField.class);
        more.putAll(numbers);
        more.put(field, value);
        return new LegacyNode(id, name, typeNumber, parents, more, involvedDims, unknown);
    }

    /** Returns a copy with other parents. */
    public LegacyNode withParents(long... ids) {
        return new LegacyNode(id, name, typeNumber, ids, numbers, involvedDims, unknown);
    }

    /** Returns a copy with other dimensions. */
    public LegacyNode withInvolvedDims(boolean... dims) {
        return new LegacyNode(id, name, typeNumber, parents, numbers, dims, unknown);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LegacyNode that
                && id == that.id
                && name.equals(that.name)
                && typeNumber == that.typeNumber
                && Arrays.equals(parents, that.parents)
                && numbers.equals(that.numbers)
                && Arrays.equals(involvedDims, that.involvedDims)
                && Arrays.equals(unknown, that.unknown);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(id) + name.hashCode();
    }
}
