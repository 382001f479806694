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
 * @param nsPerDuration ns that a unit of a node's duration stands for
 */
public record SimulationSpec(
        SystemSpec system,
        List<Integer> dimensions,
        MemorySpec memory,
        CommGroups groups,
        Compat compat,
        boolean symmetry,
        long nsPerDuration) {
    private static final long NS_PER_MICRO = 1000;

    public SimulationSpec {
        dimensions = List.copyOf(dimensions);
    }

    /** Durations in the unit of {@code compat}: microseconds, and once nanoseconds. */
    public SimulationSpec(
            SystemSpec system,
            List<Integer> dimensions,
            MemorySpec memory,
            CommGroups groups,
            Compat compat,
            boolean symmetry) {
        this(system, dimensions, memory, groups, compat, symmetry, nsPerDuration(compat));
    }

    /** What a unit of a duration stands for in the release that is reproduced, in ns. */
    public static long nsPerDuration(Compat compat) {
        return compat == Compat.ASTRA_2023 ? 1 : NS_PER_MICRO;
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
