package dev.stagesim.feature.cluster;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds the simulation of clusters of serving engines. */
public final class ClusterFeature implements Feature {
    @Override
    public int position() {
        return 80;
    }

    @Override
    public List<Object> parts() {
        return List.of(new ClusterStage(), new Pools());
    }
}
