package dev.stagesim.model.trace;

import java.util.Optional;

/** Nodes that differ from others in what the product never changes. */
public final class EtNodes {
    private EtNodes() {}

    /** A node with another identity. */
    public static EtNode withId(EtNode node, long id) {
        return copy(node, id, node.ctrlDeps(), node.inputs(), node.outputs());
    }

    /** A node with other dependencies for control. */
    public static EtNode withCtrlDeps(EtNode node, long... ids) {
        return copy(node, node.id(), ids, node.inputs(), node.outputs());
    }

    /** A node with other inputs and outputs. */
    public static EtNode withIo(EtNode node, EtIo inputs, EtIo outputs) {
        return copy(node, node.id(), node.ctrlDeps(), Optional.of(inputs), Optional.of(outputs));
    }

    private static EtNode copy(EtNode node, long id, long[] ctrlDeps, Optional<EtIo> inputs, Optional<EtIo> outputs) {
        return new EtNode(
                id,
                node.name(),
                node.typeNumber(),
                ctrlDeps,
                node.dataDeps(),
                node.startTimeMicros(),
                node.durationMicros(),
                inputs,
                outputs,
                node.attributes(),
                node.unknown());
    }
}
