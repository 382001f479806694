package dev.stagesim.feature.plan;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds the planner of serving deployments. */
public final class PlanFeature implements Feature {
    @Override
    public int position() {
        return 90;
    }

    @Override
    public List<Object> parts() {
        return List.of(new PlanStage());
    }
}
