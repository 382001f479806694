package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtValue;
import dev.stagesim.model.trace.LegacyField;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.model.trace.LegacyNodeType;
import dev.stagesim.model.trace.NodeType;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** Converts nodes to schema 0.0.1; attributes unknown to that schema are dropped. */
public final class LegacyForm {
    private static final SortedMap<String, LegacyField> NUMBERS = new TreeMap<>();

    static {
        NUMBERS.put(EtNames.COMM_SRC, LegacyField.COMM_SRC);
        NUMBERS.put(EtNames.COMM_DST, LegacyField.COMM_DST);
        NUMBERS.put(EtNames.COMM_SIZE, LegacyField.COMM_SIZE);
        NUMBERS.put(EtNames.COMM_TAG, LegacyField.COMM_TAG);
        NUMBERS.put(EtNames.COMM_PRIORITY, LegacyField.COMM_PRIORITY);
        NUMBERS.put(EtNames.TENSOR_SIZE, LegacyField.TENSOR_SIZE);
        NUMBERS.put(EtNames.NUM_OPS, LegacyField.NUM_OPS);
    }

    private LegacyForm() {}

    /** Returns the node in schema 0.0.1, which has one parent list for control and data dependencies. */
    public static LegacyNode of(EtNode node) {
        LegacyNode made =
                LegacyNode.of(node.id(), node.name(), type(node.type())).withParents(parents(node));
        if (node.type() == NodeType.COMP_NODE) {
            made = made.with(LegacyField.SIMULATED_RUN_TIME, node.durationMicros());
        }
        for (EtAttribute attribute : node.attributes()) {
            LegacyField field = NUMBERS.get(attribute.name());
            OptionalLong value = attribute.asLong();
            if (field != null && value.isPresent()) {
                made = made.with(field, value.getAsLong());
            } else if (attribute.name().equals(EtNames.COMM_TYPE) && value.isPresent()) {
                Optional<CollectiveType> type = CollectiveType.of(value.getAsLong());
                made = made.with(LegacyField.COMM_TYPE, LegacyField.collective(type));
            } else if (attribute.name().equals(EtNames.INVOLVED_DIM)
                    && attribute.value() instanceof EtValue.Wholes dims) {
                made = made.withInvolvedDims(bools(dims.values()));
            }
        }
        return made;
    }

    private static long[] parents(EtNode node) {
        long[] parents = new long[node.ctrlDeps().length + node.dataDeps().length];
        System.arraycopy(node.ctrlDeps(), 0, parents, 0, node.ctrlDeps().length);
        System.arraycopy(node.dataDeps(), 0, parents, node.ctrlDeps().length, node.dataDeps().length);
        return parents;
    }

    private static LegacyNodeType type(NodeType type) {
        return switch (type) {
            case MEM_LOAD_NODE -> LegacyNodeType.MEM_LOAD_NODE;
            case MEM_STORE_NODE -> LegacyNodeType.MEM_STORE_NODE;
            case COMP_NODE -> LegacyNodeType.COMP_NODE;
            case COMM_SEND_NODE -> LegacyNodeType.COMM_SEND_NODE;
            case COMM_RECV_NODE -> LegacyNodeType.COMM_RECV_NODE;
            case COMM_COLL_NODE -> LegacyNodeType.COMM_COLL_NODE;
            case INVALID_NODE, METADATA_NODE, UNKNOWN_NODE -> LegacyNodeType.INVALID_NODE;
        };
    }

    private static boolean[] bools(long[] values) {
        boolean[] bools = new boolean[values.length];
        for (int i = 0; i < values.length; i++) {
            bools[i] = values[i] != 0;
        }
        return bools;
    }
}
