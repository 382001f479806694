package dev.stagesim.stage.compare;

import dev.stagesim.model.Feature;
import dev.stagesim.stage.calibrate.CalibrateStage;
import java.util.List;

/** Adds comparisons of measured and simulated runs, and calibration. */
public final class CompareFeature implements Feature {
    @Override
    public int position() {
        return 40;
    }

    @Override
    public List<Object> parts() {
        return List.of(new CompareStage(), new CalibrateStage());
    }
}
