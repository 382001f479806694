package dev.stagesim.model.trace;

import dev.stagesim.model.KeyRecord;
import java.util.Map;
import java.util.Optional;

/** Nodes that differ from others in what the product never changes. */
public final class EtNodes {
    private EtNodes() {}

    /** A node with another identity. */
    public static EtNode withId(EtNode node, long id) {
        return KeyRecord.with(EtNode.class, node, Map.of("id", id));
    }

    /** A node with other dependencies for control. */
    public static EtNode withCtrlDeps(EtNode node, long... ids) {
        return KeyRecord.with(EtNode.class, node, Map.of("ctrlDeps", ids));
    }

    /** A node with other inputs and outputs. */
    public static EtNode withIo(EtNode node, EtIo inputs, EtIo outputs) {
        return KeyRecord.with(
                EtNode.class, node, Map.of("inputs", Optional.of(inputs), "outputs", Optional.of(outputs)));
    }
}
