package dev.stagesim.sim.collective;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * How an NPU spent its time; times in ns, each the length of the union of the nodes' intervals.
 *
 * @param wallNs greatest end of a node
 * @param gpuNs computation, when there was any
 * @param commNs collectives, sends and receives, when there were any
 * @param cpuNs computation on the host, when there was any
 * @param memoryNs accesses to remote memory, when there were any
 * @param overlapNs time of computation and communication at once; 0 when there was none
 * @param roofline utilisation under the roofline model
 * @param isReference whether the reference prints statistics for this NPU: it gives up when it meets host computation,
 *     memory accesses or nodes of no known kind
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
     * Means over computations weighted by duration; the weights are divided by one more than their sum, as the
     * reference does.
     *
     * @param computeBound share of time in which computation was the limit, 0 to 1
     * @param compute share of peak performance, 0 to 1
     * @param memory share of memory bandwidth, 0 to 1
     * @param intensity operations per byte
     */
    public record Utilization(double computeBound, double compute, double memory, double intensity) {}
}
