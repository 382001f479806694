package dev.stagesim.sim.trace.generate;

import java.util.Locale;

/** Figures of {@link PatternOptions} that a pattern may depend on. */
public enum Figure {
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
