package dev.stagesim.sim.collective;

import java.util.List;

/**
 * Everything a run needs beside the traces and the network.
 *
 * @param system what every NPU has in common
 * @param dimensions NPUs along each logical dimension, dimension 0 fastest
 * @param memory remote memory
 * @param groups communicator groups
 * @param compat whose oddities are kept
 * @param symmetry whether NPUs in equivalent places may be simulated once
 */
public record SimulationSpec(
        SystemSpec system,
        List<Integer> dimensions,
        MemorySpec memory,
        CommGroups groups,
        Compat compat,
        boolean symmetry) {
    public SimulationSpec {
        dimensions = List.copyOf(dimensions);
    }

    /** Product of the dimensions. */
    public int npus() {
        int product = 1;
        for (int size : dimensions) {
            product = Math.multiplyExact(product, size);
        }
        return product;
    }
}
