package dev.stagesim.sim.training;

import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelFeature;
import java.util.Set;

/**
 * A transformer as training sees it: widths, and the weights and operations that follow.
 *
 * <p>A product with w weights is 2 w operations a token; attention proper is counted apart.
 *
 * @param name name of the model
 * @param layers layers, without those that only predict further tokens
 * @param hidden width of the residual stream
 * @param heads query heads
 * @param groups key-value heads
 * @param keyWidth width of a query or key head, with its position part
 * @param valueWidth width of a value head
 * @param feedForward width of a dense feed-forward network
 * @param matrices 3 when gated, else 2
 * @param vocabulary tokens of the vocabulary
 * @param isTied whether the head reuses the embedding
 * @param mixture experts; none for a dense model
 * @param latent ranks of latent attention; none otherwise
 */
public record Architecture(
        String name,
        int layers,
        double hidden,
        int heads,
        int groups,
        double keyWidth,
        double valueWidth,
        double feedForward,
        int matrices,
        double vocabulary,
        boolean isTied,
        Mixture mixture,
        Latent latent) {
    /** Features of cards that an architecture has. */
    public static final Set<ModelFeature> MODELLED = Set.of();

    /**
     * A mixture of experts.
     *
     * @param experts routed experts of a layer; 0 for none
     * @param perToken experts that a token visits
     * @param width feed-forward width of an expert
     * @param sharedWidth width of what every token visits; 0 for none
     * @param firstDense leading layers that are dense
     * @param step layers of a period, the last of which is a mixture
     */
    public record Mixture(int experts, int perToken, double width, double sharedWidth, int firstDense, int step) {
        /** No mixture. */
        public static final Mixture NONE = new Mixture(0, 0, 0, 0, 0, 1);
    }

    /**
     * Ranks of latent attention.
     *
     * @param query rank of the query; 0 when it is not compressed
     * @param keyValue rank of keys and values; 0 for ordinary attention
     * @param position width of the position part of a key
     */
    public record Latent(double query, double keyValue, double position) {
        /** Ordinary attention. */
        public static final Latent NONE = new Latent(0, 0, 0);
    }

    /** Returns the architecture of a card; {@link ModelFeature} lists what it leaves out. */
    public static Architecture of(ModelCard card) {
        boolean isLatent = card.isLatentAttention();
        Mixture mixture = card.isMixtureOfExperts()
                ? new Mixture(
                        card.numExperts().orElse(0),
                        card.expertsPerToken().orElse(1),
                        card.moeFfnDim().orElse(0),
                        card.sharedFfnDim().orElse(0),
                        card.firstDenseLayers().orElse(0),
                        card.moeLayerStep().orElse(1))
                : Mixture.NONE;
        double rope = card.qkRopeDim().orElse(0);
        return new Architecture(
                card.name(),
                card.numLayers(),
                card.hiddenSize(),
                card.numHeads(),
                isLatent ? card.numHeads() : card.numKvHeads(),
                isLatent ? card.qkNopeDim().orElse(card.headDim()) + rope : card.headDim(),
                card.vHeadDim().orElse(card.headDim()),
                card.ffnDim(),
                card.mlpMatrices(),
                card.vocabSize(),
                card.tieEmbeddings(),
                mixture,
                isLatent
                        ? new Latent(
                                card.qLoraRank().orElse(0), card.kvLoraRank().orElse(0), rope)
                        : Latent.NONE);
    }

    public boolean isMixture() {
        return mixture.experts() > 0;
    }

    public boolean isLatent() {
        return latent.keyValue() > 0;
    }

    /** Mixture layers among the first {@code end}. */
    public int mixturesBefore(int end) {
        int from = mixture.firstDense();
        return isMixture() && end > from ? (end - from) / mixture.step() : 0;
    }

    /** Weights of the projections of attention in a layer. */
    public double attentionWeights() {
        double queries = heads * keyWidth;
        double output = heads * valueWidth * hidden;
        if (!isLatent()) {
            return hidden * (queries + groups * (keyWidth + valueWidth)) + output;
        }
        double query = latent.query() > 0 ? latent.query() * (hidden + queries) : hidden * queries;
        double keys = heads * (keyWidth - latent.position() + valueWidth);
        return query + hidden * (latent.keyValue() + latent.position()) + latent.keyValue() * keys + output;
    }

    /** Weights of a dense feed-forward network. */
    public double denseWeights() {
        return matrices * hidden * feedForward;
    }

    /** Weights of one routed expert. */
    public double expertWeights() {
        return matrices * hidden * mixture.width();
    }

    /** Weights of the shared expert. */
    public double sharedWeights() {
        return matrices * hidden * mixture.sharedWidth();
    }

    public double routerWeights() {
        return hidden * mixture.experts();
    }

    /** Weights of the embedding, and of the head. */
    public double vocabularyWeights() {
        return hidden * vocabulary;
    }

    /** Weights that take part in the products of a token, the head among them, the embedding not. */
    public double activeWeights() {
        int mixtures = mixturesBefore(layers);
        double mixtureLayer = mixture.perToken() * expertWeights() + sharedWeights() + routerWeights();
        return layers * attentionWeights()
                + (layers - mixtures) * denseWeights()
                + mixtures * mixtureLayer
                + vocabularyWeights();
    }

    /**
     * Operations of a token that a policy computes again, beyond those of whole layers.
     *
     * @param isLow whether products run in 8 or 4 bits, whose outputs the operator policy does not keep
     */
    public double flopsAgain(Strategy.Recompute policy, boolean isLow, double sequence) {
        int mixtures = mixturesBefore(layers);
        double expansion = latent.keyValue() * heads * (keyWidth - latent.position() + valueWidth)
                + latent.query() * heads * keyWidth;
        double operators = isLow
                ? attentionWeights() + denseWeights()
                : hidden * groups * keyWidth + heads * valueWidth * hidden + hidden * feedForward;
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

    /** Operations of attention proper for a token in forward, over all positions of a full sequence. */
    public double attentionFlops(double sequence) {
        return 2 * sequence * heads * (keyWidth + valueWidth);
    }
}
