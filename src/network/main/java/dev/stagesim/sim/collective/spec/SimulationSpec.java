package dev.stagesim.sim.collective.spec;

import dev.stagesim.model.trace.CommGroups;
import java.util.List;

/**
 * Settings of a run, in addition to the traces and the network.
 *
 * @param system settings common to all NPUs
 * @param dimensions NPUs along each logical dimension, dimension 0 fastest
 * @param memory remote memory
 * @param groups communicator groups
 * @param compat reproduced implementation
 * @param symmetry whether equivalent NPUs may be simulated once
 * @param nsPerDuration ns per unit of a node's duration
 */
public record SimulationSpec(
        SystemSpec system,
        List<Integer> dimensions,
        MemorySpec memory,
        CommGroups groups,
        AstraCompat compat,
        boolean symmetry,
        long nsPerDuration) {
    private static final long NS_PER_MICRO = 1000;

    public SimulationSpec {
        dimensions = List.copyOf(dimensions);
    }

    /** Uses the unit of durations of {@code compat}: microseconds, or nanoseconds in 2023. */
    public SimulationSpec(
            SystemSpec system,
            List<Integer> dimensions,
            MemorySpec memory,
            CommGroups groups,
            AstraCompat compat,
            boolean symmetry) {
        this(system, dimensions, memory, groups, compat, symmetry, nsPerDuration(compat));
    }

    /** Nanoseconds per unit of a duration in the reproduced release. */
    public static long nsPerDuration(AstraCompat compat) {
        return compat == AstraCompat.ASTRA_2023 ? 1 : NS_PER_MICRO;
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
