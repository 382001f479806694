package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.Variant;
import dev.stagesim.sim.serving.cluster.ExpertBalancer.Placement;

/** Experts by number, and again from the first one on, as vLLM begins. */
@Variant("in_order | Experts by number over the devices, further copies from the first expert on, as vLLM begins.")
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
