package dev.stagesim.stage.realbench;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds measured runs. */
public final class MeasureFeature implements Feature {
    @Override
    public int position() {
        return 20;
    }

    @Override
    public List<Object> parts() {
        return List.of(new RealBenchStage());
    }
}
