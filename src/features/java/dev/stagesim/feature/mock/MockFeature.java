package dev.stagesim.feature.mock;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds the server that answers at the speed of a simulation. */
public final class MockFeature implements Feature {
    @Override
    public int position() {
        return 85;
    }

    @Override
    public List<Object> parts() {
        return List.of(new ServeMockStage());
    }
}
