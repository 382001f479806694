package dev.stagesim.feature.studio;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds the application that shows runs in a browser. */
public final class StudioFeature implements Feature {
    @Override
    public List<Object> parts() {
        return List.of(new StudioApplication());
    }
}
