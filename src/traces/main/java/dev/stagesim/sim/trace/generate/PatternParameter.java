package dev.stagesim.sim.trace.generate;

import java.util.Locale;

/** Parameters of {@link PatternOptions} that can affect a pattern. */
public enum PatternParameter {
    RUNTIME,
    TENSOR_SIZE,
    COMM_SIZE,
    NUM_DIMS,
    LAYERS,
    MICRO_BATCHES;

    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
