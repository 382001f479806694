package dev.stagesim.sim.collective;

import java.util.Optional;

/**
 * What a collective node amounts to, the same on every NPU whose trace has it.
 *
 * @param orders steps of the chunks; without any for a custom collective
 * @param chunks number of chunks
 * @param group whose counters number the chunks, when the node names a group
 * @param custom the trace that runs instead of phases
 */
record NodePlan(PhaseOrders orders, int chunks, Optional<Group> group, Optional<CustomCollective> custom) {}
