package dev.stagesim.feature.cluster.experts;

import dev.stagesim.sim.serving.cluster.ExpertBalancer.Placement;

/** The section {@code cluster.pools.NAME.experts.placement}. Each policy has its record in a file of its name. */
public sealed interface ExpertPlacement permits SequentialPlacement, Eplb {
    /** Returns the number of expert groups that stay on one node. */
    int groups();

    /** Places the expert replicas of a layer for the given loads. */
    Placement place(double[] chosen, int slots, int nodes, int devices);
}
