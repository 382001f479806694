package dev.stagesim.sim.training;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelFeature;
import java.util.Set;

/**
 * Dimensions of a transformer, and the numbers of weights and floating-point operations derived from them.
 *
 * <p>A matrix product with w weights takes 2 w operations per token. The products of queries, keys and values are counted separately.
 *
 * @param name name of the model
 * @param layers number of layers, excluding multi-token prediction layers
 * @param hidden width of the residual stream
 * @param attention heads of a layer
 * @param feedForward width of a dense feed-forward network
 * @param matrices matrices of a feed-forward network: 3 if gated, otherwise 2
 * @param vocabulary size of the vocabulary in tokens
 * @param isTied true if the output head shares the embedding weights
 * @param mixture experts, or {@link Mixture#NONE} for a dense model
 */
public record Architecture(
        String name,
        int layers,
        double hidden,
        Attention attention,
        double feedForward,
        int matrices,
        double vocabulary,
        boolean isTied,
        Mixture mixture) {
    /** Optional features of model cards that this class models. */
    public static final Set<ModelFeature> MODELLED = Set.of();

    /**
     * Mixture-of-experts dimensions.
     *
     * @param experts routed experts of a layer; 0 for none
     * @param perToken experts to which each token is routed
     * @param width feed-forward width of an expert
     * @param sharedWidth feed-forward width of the shared expert; 0 if absent
     * @param firstDense number of leading dense layers
     * @param step period in layers; the last layer of each period has experts
     */
    public record Mixture(int experts, int perToken, double width, double sharedWidth, int firstDense, int step) {
        /** Dense model. */
        public static final Mixture NONE = new Mixture(0, 0, 0, 0, 0, 1);
    }

    /**
     * Heads of a layer.
     *
     * @param heads query heads
     * @param groups key-value heads
     * @param keyWidth width of a query or key head, including its position part
     * @param valueWidth width of a value head
     * @param latent ranks of latent attention, or {@link Latent#NONE}
     */
    public record Attention(int heads, int groups, double keyWidth, double valueWidth, Latent latent) {
        /** Returns the width of keys and values that are expanded from a latent vector. */
        double expandedWidth() {
            return heads * (keyWidth - latent.position() + valueWidth);
        }
    }

    /**
     * Ranks of latent attention.
     *
     * @param query rank of the query projection; 0 if queries are not compressed
     * @param keyValue rank of keys and values; 0 for standard attention
     * @param position width of the position part of a key
     */
    public record Latent(double query, double keyValue, double position) {
        /** Standard attention. */
        public static final Latent NONE = new Latent(0, 0, 0);
    }

    /** Returns the architecture of a card. {@link #MODELLED} lists the optional features that are included. */
    public static Architecture of(ModelCard card) {
        boolean isLatent = card.isLatentAttention();
        Mixture mixture = card.isMixtureOfExperts()
                ? new Mixture(
                        card.experts().numExperts().orElse(0),
                        card.experts().expertsPerToken().orElse(1),
                        card.experts().moeFfnDim().orElse(0),
                        card.experts().sharedFfnDim().orElse(0),
                        card.experts().firstDenseLayers().orElse(0),
                        card.experts().moeLayerStep().orElse(1))
                : Mixture.NONE;
        double rope = card.latent().qkRopeDim().orElse(0);
        Attention attention = new Attention(
                card.shape().numHeads(),
                isLatent ? card.shape().numHeads() : card.shape().numKvHeads(),
                isLatent
                        ? card.latent().qkNopeDim().orElse(card.shape().headDim()) + rope
                        : card.shape().headDim(),
                card.latent().vHeadDim().orElse(card.shape().headDim()),
                isLatent
                        ? new Latent(
                                card.latent().qLoraRank().orElse(0),
                                card.latent().kvLoraRank().orElse(0),
                                rope)
                        : Latent.NONE);
        return new Architecture(
                card.name(),
                card.shape().numLayers(),
                card.shape().hiddenSize(),
                attention,
                card.shape().ffnDim(),
                card.shape().mlpMatrices(),
                card.shape().vocabSize(),
                card.tieEmbeddings(),
                mixture);
    }

    public boolean isMixture() {
        return mixture.experts() > 0;
    }

    public boolean isLatent() {
        return attention.latent().keyValue() > 0;
    }

    /** Returns the number of mixture-of-experts layers among the first {@code end} layers. */
    int mixturesBefore(int end) {
        int from = mixture.firstDense();
        return isMixture() && end > from ? (end - from) / mixture.step() : 0;
    }

    /** Returns the weights of a layer's attention projections. */
    double attentionWeights() {
        double queries = attention.heads() * attention.keyWidth();
        double output = attention.heads() * attention.valueWidth() * hidden;
        if (!isLatent()) {
            return hidden * (queries + attention.groups() * (attention.keyWidth() + attention.valueWidth())) + output;
        }
        Latent latent = attention.latent();
        double query = latent.query() > 0 ? latent.query() * (hidden + queries) : hidden * queries;
        double keys = attention.expandedWidth();
        return query + hidden * (latent.keyValue() + latent.position()) + latent.keyValue() * keys + output;
    }

    /** Returns the weights of a dense feed-forward network. */
    double denseWeights() {
        return matrices * hidden * feedForward;
    }

    /** Returns the weights of one routed expert. */
    double expertWeights() {
        return matrices * hidden * mixture.width();
    }

    /** Returns the weights of the shared expert. */
    double sharedWeights() {
        return matrices * hidden * mixture.sharedWidth();
    }

    double routerWeights() {
        return hidden * mixture.experts();
    }

    /** Returns the weights of the embedding, which equal the weights of the output head. */
    public double vocabularyWeights() {
        return hidden * vocabulary;
    }

    /** Returns the weights that one token is multiplied with: the output head is included, the embedding is not. */
    public double activeWeights() {
        int mixtures = mixturesBefore(layers);
        double mixtureLayer = mixture.perToken() * expertWeights() + sharedWeights() + routerWeights();
        return layers * attentionWeights()
                + (layers - mixtures) * denseWeights()
                + mixtures * mixtureLayer
                + vocabularyWeights();
    }

    /**
     * Returns the operations per token that a policy recomputes, except recomputation of whole layers.
     *
     * @param isLow true if products run in 8 or 4 bits; the operator policy does not keep their outputs
     */
    public double recomputedFlops(Strategy.Recompute policy, boolean isLow, double sequence) {
        int mixtures = mixturesBefore(layers);
        Latent latent = attention.latent();
        double expansion = latent.keyValue()
                        * attention.heads()
                        * (attention.keyWidth() - latent.position() + attention.valueWidth())
                + latent.query() * attention.heads() * attention.keyWidth();
        double operators = isLow
                ? attentionWeights() + denseWeights()
                : hidden * attention.groups() * attention.keyWidth()
                        + attention.heads() * attention.valueWidth() * hidden
                        + hidden * feedForward;
        return switch (policy) {
            case SELECTIVE -> layers * attentionFlops(sequence);
            case POINTWISE -> 2 * layers * expansion;
            case MODULES ->
                2 * (layers - mixtures) * denseWeights()
                        + 2 * mixtures * (mixture.perToken() * expertWeights() + sharedWeights());
            case OPERATORS -> 2 * layers * operators;
            case NONE, HALF, FULL -> 0;
        };
    }

    /** Returns the forward operations per token and layer of scores and their product with the values, without a causal mask. */
    double attentionFlops(double sequence) {
        return 2 * sequence * attention.heads() * (attention.keyWidth() + attention.valueWidth());
    }
}
