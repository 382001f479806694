package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.serving.cluster.ExpertBalancer;
import dev.stagesim.sim.serving.cluster.ExpertBalancer.Placement;

/** DeepSeek's expert-parallel load balancer. The first placement uses the initial loads. */
@Variant("eplb | DeepSeek's expert-parallel load balancer. The first placement uses the initial loads.")
public record Eplb(
        @Key("Groups of experts that stay on one node, if the number of groups is a multiple of the number of"
                        + " nodes. | 1 | 1..100000")
                int groups)
        implements ExpertPlacement {
    @Override
    public Placement place(double[] chosen, int slots, int nodes, int devices) {
        return new ExpertBalancer(chosen.length, slots, groups, nodes, devices).place(chosen);
    }
}
