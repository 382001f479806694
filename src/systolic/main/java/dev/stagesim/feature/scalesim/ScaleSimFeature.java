package dev.stagesim.feature.scalesim;

import dev.stagesim.model.Feature;
import dev.stagesim.model.KeyVariants;
import dev.stagesim.systolic.MnkWorkload;
import dev.stagesim.workload.WorkloadSettings;
import java.util.List;

/** Adds the stage {@code scale_sim}. */
public final class ScaleSimFeature implements Feature {
    @Override
    public int position() {
        return 70;
    }

    @Override
    public List<Object> parts() {
        return List.of(new KeyVariants(WorkloadSettings.class, List.of(MnkWorkload.class)), new ScaleSimStage());
    }
}
