package dev.stagesim.sim.training;

/** What a report counts as the operations of a token; the same speed is another utilisation under each. */
public enum FlopsDefinition {
    /** Products of active weights, and the half of attention that a causal mask leaves. Megatron since 2025. */
    CAUSAL,
    /** All of attention. PaLM, Megatron and NeMo until 2024, torchtitan. */
    FULL,
    /** All of attention and what is computed again. */
    HARDWARE;

    /**
     * Operations of a token, forward and backward.
     *
     * @param again share of the layers that is computed again as a whole
     * @param others operations of other parts that are computed again
     */
    public double perToken(Architecture model, double sequence, double again, double others) {
        double attention = model.layers() * model.attentionFlops(sequence);
        return switch (this) {
            case CAUSAL -> 6 * model.activeWeights() + 3 * attention / 2;
            case FULL -> 6 * model.activeWeights() + 3 * attention;
            case HARDWARE -> (6 + 2 * again) * model.activeWeights() + (3 + again) * attention + others;
        };
    }
}
