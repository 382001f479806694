package dev.stagesim.stage.vidursim;

import dev.stagesim.io.hf.ModelConfig;
import dev.stagesim.model.Feature;
import dev.stagesim.model.KeyVariants;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.stage.ModelFileReader;
import dev.stagesim.stage.vidurprofile.VidurProfileStage;
import dev.stagesim.workload.WorkloadSettings;
import java.util.List;

/** Adds profiles and simulations of one serving engine, its workloads, and cards of published model files. */
public final class ServingFeature implements Feature {
    @Override
    public int position() {
        return 30;
    }

    @Override
    public List<Object> parts() {
        return List.of(
                new VidurProfileStage(),
                new VidurSimStage(),
                new KeyVariants(WorkloadSettings.class, List.of(ServingWorkload.class)),
                (ModelFileReader)
                        (file, name) -> ModelConfig.read(file, name.orElseGet(() -> ModelConfig.nameOf(file))));
    }
}
