package dev.stagesim.feature.trainplan;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds the training planner. */
public final class TrainPlanFeature implements Feature {
    @Override
    public int position() {
        return 120;
    }

    @Override
    public List<Object> parts() {
        return List.of(new TrainPlanStage());
    }
}
