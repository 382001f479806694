package dev.stagesim.feature.fabric;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds capacity, latency, power and cost of fleets. */
public final class FabricFeature implements Feature {
    @Override
    public List<Object> parts() {
        return List.of(new FabricStage());
    }
}
