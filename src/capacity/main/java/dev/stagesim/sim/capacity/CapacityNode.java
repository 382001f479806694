package dev.stagesim.sim.capacity;

/**
 * The inputs of the semi-empirical model that describe the nodes.
 *
 * @param accelerators accelerators in all nodes
 * @param memoryGb memory of one accelerator
 * @param nodeWatts power of one node under full load
 */
public record CapacityNode(double accelerators, double memoryGb, double nodeWatts) {}
