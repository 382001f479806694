package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.model.card.ModelSize;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Cost of a transformer's parts per processor: weights, and work per micro-batch.
 *
 * <p>A matrix product with w weights takes 2 w operations per token. Attention is dense: 2 x tokens x tokens x total width
 * of the key and value heads. Routed tokens are distributed evenly over the experts.
 */
public final class TrainingCost {
    /** Features of model cards that the cost includes. */
    public static final Set<ModelFeature> MODELLED = Collections.unmodifiableSet(
            EnumSet.of(ModelFeature.EXPERT_LAYERS, ModelFeature.LATENT_EXPERTS, ModelFeature.ATTENTION_WEIGHTS));

    private final TrainingOptions options;
    private final ModelCard model;
    private final long batchTokens;
    private final int tp;

    TrainingCost(TrainingOptions options) {
        this.options = options;
        model = options.model();
        batchTokens = (long) options.sequences() * options.tokens();
        tp = options.split().tp();
    }

    /**
     * Part of the model on one processor.
     *
     * @param flops operations in a forward pass over a micro-batch
     * @param bytes memory traffic of a forward pass
     */
    record Part(long weights, double flops, double bytes) {}

    /** Size of the activations between layers, in bytes. */
    long activations() {
        return batchTokens * model.shape().hiddenSize() * TrainingOptions.BYTES;
    }

    Part attention() {
        long weights = ModelSize.attention(model) / tp;
        double scores = 2.0 * batchTokens * options.tokens() * model.shape().numHeads() * headWidths() / tp;
        return part(weights, 2.0 * batchTokens * weights + scores);
    }

    /** Widths of a key and a value head together. */
    private int headWidths() {
        int key = model.isLatentAttention()
                ? model.latent().qkNopeDim().orElse(model.shape().headDim())
                        + model.latent().qkRopeDim().orElse(0)
                : model.shape().headDim();
        return key + model.latent().vHeadDim().orElse(model.shape().headDim());
    }

    Part feedForward() {
        long weights = ModelSize.matrices(model, model.shape().ffnDim()) / tp;
        return part(weights, 2.0 * batchTokens * weights);
    }

    /** Router, shared experts and projections around latent experts, used by every token. */
    Part shared() {
        long weights = ModelSize.unroutedWeights(model) / tp;
        return part(weights, 2.0 * batchTokens * weights);
    }

    /** Routed experts on this processor, for the tokens routed to them. */
    Part experts() {
        long each = ModelSize.expert(model) / tp;
        int own = model.experts().numExperts().orElse(0) / options.split().ep();
        return part(
                each * own,
                2.0 * batchTokens * model.experts().expertsPerToken().orElse(0) * each);
    }

    /** Bytes per exchange of tokens with the experts, in one direction. */
    long routed() {
        return batchTokens
                * model.expertHiddenSize()
                * TrainingOptions.BYTES
                * model.experts().expertsPerToken().orElse(0);
    }

    /** Embedding lookup. */
    Part embedding() {
        return new Part((long) model.shape().vocabSize() * model.shape().hiddenSize() / tp, 0, 2.0 * activations());
    }

    /** Output head. */
    Part head() {
        long weights = (long) model.shape().vocabSize() * model.shape().hiddenSize() / tp;
        return part(weights, 2.0 * batchTokens * weights);
    }

    /** Memory traffic to update {@code weights} weights: master copy, moments and gradient, in bytes. */
    static double updateBytes(long weights) {
        return 16.0 * weights;
    }

    private Part part(long weights, double flops) {
        return new Part(weights, flops, (double) TrainingOptions.BYTES * weights + 2.0 * activations());
    }
}
