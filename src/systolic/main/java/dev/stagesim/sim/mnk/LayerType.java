package dev.stagesim.sim.mnk;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The computation of a layer, which determines its matrix products and collectives. */
public enum LayerType {
    /** Inputs times weights. */
    GEMM,
    /** Lookup of {@code m} inputs in a table of {@code k} rows of {@code n} values. */
    EMBEDDING,
    /** Queries times keys: a product of two activations. Its result stays with its heads. */
    SCORE,
    /** Scores times values: a product of two activations. The next layer needs its result from all heads. */
    CONTEXT;

    public static Optional<LayerType> of(String name) {
        return Arrays.stream(values())
                .filter(type -> type.name().equals(name.toUpperCase(Locale.ROOT)))
                .findFirst();
    }

    /** Returns true if both operands are activations, so that the layer has no weights. */
    public boolean isAttention() {
        return this == SCORE || this == CONTEXT;
    }
}
