package dev.stagesim.stage.compare;

import dev.stagesim.model.Feature;
import dev.stagesim.stage.calibrate.CalibrateStage;
import java.util.List;

/** Registers the stages that compare runs and calibrate simulations. */
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
