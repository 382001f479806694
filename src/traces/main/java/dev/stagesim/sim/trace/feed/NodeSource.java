package dev.stagesim.sim.trace.feed;

import dev.stagesim.model.trace.EtNode;
import org.jspecify.annotations.Nullable;

/** Nodes of a trace in file order. */
@FunctionalInterface
public interface NodeSource {
    /** Returns the next node, or null at the end. */
    @Nullable
    EtNode next();
}
