package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.model.Feature;
import dev.stagesim.model.KeyVariants;
import dev.stagesim.workload.WorkloadSettings;
import java.util.List;

/** Adds the planner for capacity, latency, power and cost of fleets. */
public final class FabricFeature implements Feature {
    @Override
    public int position() {
        return 75;
    }

    @Override
    public List<Object> parts() {
        return List.of(new KeyVariants(WorkloadSettings.class, List.of(CatalogWorkload.class)), new FabricStage());
    }
}
