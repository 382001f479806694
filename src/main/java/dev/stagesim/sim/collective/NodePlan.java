package dev.stagesim.sim.collective;

import java.util.Optional;

/**
 * What a collective node amounts to, the same on every NPU whose trace has it.
 *
 * @param kind which collective
 * @param phases steps of each chunk in order; empty when no dimension takes part
 * @param chunks number of chunks
 * @param chunkBytes bytes of each, the last one too
 * @param group whose counters number the chunks, when the node names a group
 * @param custom the trace that runs instead of phases
 */
record NodePlan(
        CollectiveKind kind,
        Phase[] phases,
        int chunks,
        long chunkBytes,
        Optional<Group> group,
        Optional<CustomCollective> custom) {}
