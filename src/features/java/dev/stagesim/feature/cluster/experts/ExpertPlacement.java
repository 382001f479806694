package dev.stagesim.feature.cluster.experts;

import dev.stagesim.sim.serving.cluster.ExpertBalancer.Placement;

/** The section {@code cluster.pools.NAME.experts.placement}: one record for each rule, in its own file. */
public sealed interface ExpertPlacement permits SequentialPlacement, Eplb {
    /** Whether an expert can have several copies, and so many groups of experts a place of their own. */
    int groups();

    /** Where the copies of a layer's experts are, when they are chosen so often. */
    Placement place(double[] chosen, int slots, int nodes, int devices);
}
