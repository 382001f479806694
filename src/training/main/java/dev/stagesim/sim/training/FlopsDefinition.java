package dev.stagesim.sim.training;

/** Definitions of the operations per token. The same step time has a different utilisation under each definition. */
public enum FlopsDefinition {
    /** Products with active weights, and half of attention because of the causal mask. Used by Megatron since 2025. */
    CAUSAL,
    /** Full attention without a causal mask. Used by PaLM, torchtitan, and Megatron and NeMo until 2024. */
    FULL,
    /** Full attention and recomputation. */
    HARDWARE;

    /**
     * Returns the operations per token of the forward and backward pass.
     *
     * @param recomputedShare share of the layers that are recomputed completely
     * @param partial operations per token of partial recomputation
     */
    public double perToken(Architecture model, double sequence, double recomputedShare, double partial) {
        double attention = model.layers() * model.attentionFlops(sequence);
        return switch (this) {
            case CAUSAL -> 6 * model.activeWeights() + 3 * attention / 2;
            case FULL -> 6 * model.activeWeights() + 3 * attention;
            case HARDWARE ->
                (6 + 2 * recomputedShare) * model.activeWeights() + (3 + recomputedShare) * attention + partial;
        };
    }
}
