package dev.stagesim.feature.cluster.experts;

import dev.stagesim.sim.serving.cluster.ExpertBalancer.Placement;

/**
 * A policy that places the expert replicas of a layer on devices: the section {@code
 * cluster.pools.NAME.experts.placement}.
 */
public sealed interface ExpertPlacement permits SequentialPlacement, Eplb {
    /** Returns the number of expert groups that stay on one node. */
    int groups();

    /** Places the expert replicas of a layer.
     *
     * @param chosen tokens routed to each expert
     * @param slots expert replicas of all devices */
    Placement place(double[] chosen, int slots, int nodes, int devices);
}
