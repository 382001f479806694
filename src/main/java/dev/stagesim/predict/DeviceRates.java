package dev.stagesim.predict;

/**
 * Rates a device reaches in practice.
 *
 * @param matmulFlops floating-point operations per second of matrix products
 * @param attentionFlops floating-point operations per second of attention kernels
 * @param memoryBytes bytes per second from and to device memory
 * @param kernelSeconds fixed time of a kernel
 * @param linkBytes bytes per second and direction to the other devices of the node
 * @param networkBytes bytes per second and direction to other nodes; 0 when there is no network
 * @param collectiveSeconds fixed time of a collective
 * @param hopSeconds time of a hop inside the node
 * @param networkHopSeconds time of a hop between nodes
 */
public record DeviceRates(
        double matmulFlops,
        double attentionFlops,
        double memoryBytes,
        double kernelSeconds,
        double linkBytes,
        double networkBytes,
        double collectiveSeconds,
        double hopSeconds,
        double networkHopSeconds) {}
