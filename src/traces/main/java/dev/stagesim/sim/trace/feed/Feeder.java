package dev.stagesim.sim.trace.feed;

import dev.stagesim.model.trace.EtNode;
import org.jspecify.annotations.Nullable;

/** Issues the nodes of one trace whose dependencies are complete, in ascending order of their unsigned ids. */
public interface Feeder {
    /** True if nodes remain to be issued, now or after other nodes complete. */
    boolean isOpen();

    /** Number of nodes that were read and are not complete, including nodes that can never be issued. */
    long left();

    /** Removes and returns the next ready node, or null if none is ready. */
    @Nullable
    EtNode take();

    /** Marks an issued node as complete. */
    void finish(EtNode node);
}
