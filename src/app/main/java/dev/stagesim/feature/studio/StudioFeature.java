package dev.stagesim.feature.studio;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds the studio. */
public final class StudioFeature implements Feature {
    @Override
    public int position() {
        return 115;
    }

    @Override
    public List<Object> parts() {
        return List.of(new StudioApplication());
    }
}
