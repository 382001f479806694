package dev.stagesim.sim.collective;

import java.util.Optional;

/**
 * What a collective node amounts to, the same on every NPU whose trace has it.
 *
 * @param usual steps of the chunks; without any for a custom collective
 * @param larger steps of the chunks that have a byte more
 * @param largerCount how many chunks have, the first ones
 * @param chunks number of chunks
 * @param group whose counters number the chunks, when the node names a group
 * @param custom the trace that runs instead of phases
 */
record NodePlan(
        PhaseOrders usual,
        PhaseOrders larger,
        int largerCount,
        int chunks,
        Optional<Group> group,
        Optional<CustomCollective> custom) {

    /** NPUs of {@code npus} that take part. */
    int members(int npus) {
        return custom.isPresent() ? group.map(Group::size).orElse(npus) : usual.members();
    }

    /** Steps of a chunk, counted from 0. */
    PhaseOrders orders(int chunk) {
        return chunk < largerCount ? larger : usual;
    }
}
