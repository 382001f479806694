package dev.stagesim.sim.capacity;

/**
 * The machines, as far as the semi-empirical model looks at them.
 *
 * @param accelerators accelerators in all nodes
 * @param memoryGb memory of one accelerator
 * @param nodeWatts power of one node under full load
 */
public record CapacityNode(double accelerators, double memoryGb, double nodeWatts) {}
