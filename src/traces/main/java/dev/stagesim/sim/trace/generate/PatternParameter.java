package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.KeyNames;

/** Parameters of {@link PatternOptions} that can affect a pattern. */
public enum PatternParameter {
    RUNTIME,
    TENSOR_SIZE,
    COMM_SIZE,
    NUM_DIMS,
    LAYERS,
    MICRO_BATCHES;

    public String key() {
        return KeyNames.constant(this);
    }
}
