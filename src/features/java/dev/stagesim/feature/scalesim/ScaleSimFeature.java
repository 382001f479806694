package dev.stagesim.feature.scalesim;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds the stage {@code scale_sim}. */
public final class ScaleSimFeature implements Feature {
    @Override
    public List<Object> parts() {
        return List.of(new ScaleSimStage());
    }
}
