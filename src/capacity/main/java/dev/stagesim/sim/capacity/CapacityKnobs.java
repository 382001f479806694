package dev.stagesim.sim.capacity;

/**
 * Settings of the runtime.
 *
 * @param microbatch sequences of a step on one copy of the model
 * @param cudaGraphs whether kernels are launched as CUDA graphs
 * @param gpuDirect whether the network reads device memory
 * @param sriov whether devices are virtualised
 * @param fabricFactor factor of the network on communication overhead
 */
public record CapacityKnobs(
        long microbatch, boolean cudaGraphs, boolean gpuDirect, boolean sriov, double fabricFactor) {}
