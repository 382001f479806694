package dev.stagesim.sim.mnk;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a layer computes, which decides on its products and exchanges. */
public enum LayerType {
    /** Inputs times weights. */
    GEMM,
    /** Rows of a table of {@code k} rows of {@code n} values, looked up for each of {@code m} inputs. */
    EMBEDDING,
    /** Queries times keys: a product of two activations, whose result stays with the heads it belongs to. */
    SCORE,
    /** Scores times values: a product of two activations, whose result the next layer needs from all heads. */
    CONTEXT;

    public static Optional<LayerType> of(String name) {
        return Arrays.stream(values())
                .filter(one -> one.name().equals(name.toUpperCase(Locale.ROOT)))
                .findFirst();
    }

    /** Whether both operands are activations, so that there are no weights. */
    public boolean isAttention() {
        return this == SCORE || this == CONTEXT;
    }
}
