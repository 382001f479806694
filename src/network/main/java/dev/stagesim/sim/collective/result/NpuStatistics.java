package dev.stagesim.sim.collective.result;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Time use of an NPU in ns. Each value is the length of the union of the nodes' intervals.
 *
 * @param wallNs latest end of a node
 * @param gpuNs computation, if any
 * @param commNs collectives, sends and receives, if any
 * @param cpuNs computation on the host, if any
 * @param memoryNs accesses to remote memory, if any
 * @param overlapNs time with both computation and communication
 * @param roofline utilisation under the roofline model
 * @param isReference whether the reference prints statistics for this NPU; the reference fails on host computation, memory
 *     accesses and nodes of unspecified type
 */
public record NpuStatistics(
        long wallNs,
        OptionalLong gpuNs,
        OptionalLong commNs,
        OptionalLong cpuNs,
        OptionalLong memoryNs,
        long overlapNs,
        Optional<Utilization> roofline,
        boolean isReference) {
    /**
     * Means over computations, weighted by duration. As in the reference, the sum of the weights is increased by one.
     *
     * @param computeBound share of compute-bound time, 0 to 1
     * @param compute share of peak performance, 0 to 1
     * @param memory share of memory bandwidth, 0 to 1
     * @param intensity operations per byte
     */
    public record Utilization(double computeBound, double compute, double memory, double intensity) {}
}
