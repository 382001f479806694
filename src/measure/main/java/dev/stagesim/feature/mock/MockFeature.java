package dev.stagesim.feature.mock;

import dev.stagesim.model.Feature;
import java.util.List;

/** Adds the stage {@code serve_mock}. */
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
