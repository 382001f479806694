package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.serving.cluster.ExpertBalancer;
import dev.stagesim.sim.serving.cluster.ExpertBalancer.Placement;

/** DeepSeek's load balancer; at the start of a run it knows the loads of its beginning. */
@Variant("eplb | DeepSeek's expert-parallel load balancer, at first by the loads of the beginning.")
public record Eplb(
        @Key("Groups of experts that stay on one node, where the nodes divide them. | 1 | 1..100000") int groups)
        implements ExpertPlacement {
    @Override
    public Placement place(double[] chosen, int slots, int nodes, int devices) {
        return new ExpertBalancer(chosen.length, slots, groups, nodes, devices).place(chosen);
    }
}
