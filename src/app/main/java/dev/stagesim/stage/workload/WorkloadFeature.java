package dev.stagesim.stage.workload;

import dev.stagesim.model.Feature;
import java.util.List;

/** Registers the stage workload. */
public final class WorkloadFeature implements Feature {
    @Override
    public int position() {
        return 10;
    }

    @Override
    public List<Object> parts() {
        return List.of(new WorkloadStage());
    }
}
