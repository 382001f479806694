package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Builds the nodes of one processor, with ids from 0. */
final class NodeBuilder {
    /** Id that denotes no node. */
    static final long ABSENT = -1;

    private final PatternOptions options;
    private final List<EtNode> nodes = new ArrayList<>();

    NodeBuilder(PatternOptions options) {
        this.options = options;
    }

    List<EtNode> nodes() {
        return nodes;
    }

    /** Adds a node with its parents; {@link #ABSENT} parents are dropped. */
    long add(String name, NodeType type, long duration, List<EtAttribute> attributes, long... parents) {
        long[] present =
                Arrays.stream(parents).filter(parent -> parent != ABSENT).toArray();
        long id = nodes.size();
        nodes.add(EtNode.of(id, name, type)
                .withDuration(duration)
                .withAttributes(attributes)
                .withDataDeps(present));
        return id;
    }

    /** Attributes for a node that runs on the device, followed by {@code further}. */
    static List<EtAttribute> onDevice(EtAttribute... further) {
        List<EtAttribute> attributes = new ArrayList<>();
        attributes.add(EtAttribute.ofBool(EtNames.IS_CPU_OP, false));
        attributes.addAll(List.of(further));
        return attributes;
    }

    /** Adds a computation with a duration in microseconds. */
    long compute(String name, long micros, long... parents) {
        return add(name, NodeType.COMP_NODE, micros, onDevice(), parents);
    }

    /** Adds a memory access of the configured size. */
    long memory(NodeType type, long... parents) {
        EtAttribute size = EtAttribute.ofUnsigned(EtNames.TENSOR_SIZE, options.tensorSize());
        return add(type.name(), type, 0, onDevice(size), parents);
    }

    long collective(String name, CollectiveType type, long bytes, long... parents) {
        List<EtAttribute> attributes = onDevice(
                EtAttribute.ofLong(EtNames.COMM_TYPE, type.number()),
                options.hasUnsignedSizes()
                        ? EtAttribute.ofUnsigned(EtNames.COMM_SIZE, bytes)
                        : EtAttribute.ofLong(EtNames.COMM_SIZE, bytes));
        if (options.numDims() >= 0) {
            boolean[] dims = new boolean[options.numDims()];
            Arrays.fill(dims, true);
            attributes.add(EtAttribute.ofBools(EtNames.INVOLVED_DIM, dims));
        }
        return add(name, NodeType.COMM_COLL_NODE, 0, attributes, parents);
    }

    long send(String name, Message message, long... parents) {
        return add(name, NodeType.COMM_SEND_NODE, 0, message.attributes(), parents);
    }

    long receive(String name, Message message, long... parents) {
        return add(name, NodeType.COMM_RECV_NODE, 0, message.attributes(), parents);
    }

    /**
     * A point-to-point message.
     *
     * @param tag matches the send with its receive among messages between the same processors
     */
    record Message(int source, int destination, long bytes, int tag) {
        List<EtAttribute> attributes() {
            return onDevice(
                    EtAttribute.ofInt(EtNames.COMM_SRC, source),
                    EtAttribute.ofInt(EtNames.COMM_DST, destination),
                    EtAttribute.ofLong(EtNames.COMM_SIZE, bytes),
                    EtAttribute.ofInt(EtNames.COMM_TAG, tag));
        }
    }
}
