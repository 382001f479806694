package dev.stagesim.model.trace;

import dev.stagesim.model.KeyRecord;
import java.util.Map;
import java.util.Optional;

/** Changes components of nodes that the product never changes. */
public final class EtNodes {
    private EtNodes() {}

    /** Returns a node with another id. */
    public static EtNode withId(EtNode node, long id) {
        return KeyRecord.with(EtNode.class, node, Map.of("id", id));
    }

    /** Returns a node with other control dependencies. */
    public static EtNode withCtrlDeps(EtNode node, long... ids) {
        return KeyRecord.with(EtNode.class, node, Map.of("ctrlDeps", ids));
    }

    /** Returns a node with other inputs and outputs. */
    public static EtNode withIo(EtNode node, EtIo inputs, EtIo outputs) {
        return KeyRecord.with(
                EtNode.class, node, Map.of("inputs", Optional.of(inputs), "outputs", Optional.of(outputs)));
    }
}
