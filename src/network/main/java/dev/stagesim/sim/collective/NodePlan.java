package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.procedure.Group;
import dev.stagesim.sim.collective.trace.CustomCollective;
import java.util.Optional;

/**
 * Execution plan of a collective node, shared by every NPU whose trace contains it.
 *
 * @param regular phases of the chunks; empty for a custom collective
 * @param larger phases of the chunks that are one byte larger
 * @param largerCount number of larger chunks, which come first
 * @param chunks number of chunks
 * @param group group whose counters number the chunks, if the node names one
 * @param custom trace that replaces the phases
 */
record NodePlan(
        PhaseOrders regular,
        PhaseOrders larger,
        int largerCount,
        int chunks,
        Optional<Group> group,
        Optional<CustomCollective> custom) {

    /** Number of members out of {@code npus}. */
    int members(int npus) {
        return custom.isPresent() ? group.map(Group::size).orElse(npus) : regular.members();
    }

    /** Phases of a chunk, counted from 0. */
    PhaseOrders orders(int chunk) {
        return chunk < largerCount ? larger : regular;
    }
}
