package dev.stagesim.sim.trace.feed;

import dev.stagesim.model.trace.EtNode;
import org.jspecify.annotations.Nullable;

/** Hands out nodes of one trace whose dependencies are done; the least identity first, as an unsigned number. */
public interface Feeder {
    /** Whether there may be more to hand out, now or after nodes are done. */
    boolean isOpen();

    /** Nodes that were read and are not done; those that can never be handed out are among them. */
    long left();

    /** Takes the next ready node, or null when none is ready. */
    @Nullable
    EtNode take();

    /** Says that a taken node is done. */
    void finish(EtNode node);
}
