package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.Variant;
import dev.stagesim.sim.serving.cluster.ExpertBalancer.Placement;

/** Places experts by number, then redundant replicas from the first expert on, like vLLM's initial placement. */
@Variant("in_order | Experts by number, then redundant replicas from the first expert on, like vLLM's initial"
        + " placement.")
public record SequentialPlacement() implements ExpertPlacement {
    @Override
    public int groups() {
        return 1;
    }

    @Override
    public Placement place(double[] chosen, int slots, int nodes, int devices) {
        Placement placement = new Placement(new int[slots], new int[slots], new int[chosen.length]);
        for (int slot = 0; slot < slots; slot++) {
            int expert = slot % chosen.length;
            placement.logical()[slot] = expert;
            placement.rank()[slot] = placement.replicas()[expert]++;
        }
        return placement;
    }
}
