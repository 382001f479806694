package dev.stagesim.stage.astrasim;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds simulations of collectives and training traces on networks. */
public final class AstraSimFeature implements Feature {
    @Override
    public int position() {
        return 50;
    }

    @Override
    public List<Object> parts() {
        return List.of(new AstraSimStage());
    }
}
