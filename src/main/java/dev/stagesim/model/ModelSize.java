package dev.stagesim.model;

/**
 * Size of a model, counted from its card's dimensions; {@code specs/serving.md} states the formula.
 *
 * <p>Norms and biases are left out: they are below 0.1 % of every model there is a card for.
 *
 * @param parameters all weights
 * @param activeParameters weights that one token uses: of the routed experts only those it visits
 * @param kvBytesPerToken KV-cache bytes of one token over all layers and heads; windowed layers count in full
 * @param weightBytes bytes of all weights; embeddings and output head have two each, the others what the card says
 */
public record ModelSize(long parameters, long activeParameters, long kvBytesPerToken, long weightBytes) {
    private static final int EMBEDDING_BYTES = 2;

    static ModelSize of(ModelCard card) {
        long embeddings = (long) card.vocabSize() * card.hiddenSize() * (card.tieEmbeddings() ? 1 : 2);
        long experts = expertLayers(card);
        long dense = (ffnLayers(card) - experts) * matrices(card, card.ffnDim());
        long body = attentionLayers(card) * attention(card)
                + card.stateLayers().orElse(0) * state(card)
                + dense
                + experts * sharedByTokens(card);
        long expert =
                experts * card.moeFfnDim().map(width -> matrices(card, width)).orElse(0L);
        long routed = expert * card.numExperts().orElse(0);
        return new ModelSize(
                embeddings + body + routed,
                embeddings + body + expert * card.expertsPerToken().orElse(0),
                Math.round(card.kvCache().bytes() * attentionLayers(card) * kvValues(card)),
                EMBEDDING_BYTES * embeddings
                        + Math.round(card.weights().bytes() * body
                                + card.expertPrecision().bytes() * routed));
    }

    public static int attentionLayers(ModelCard card) {
        return card.attentionLayers()
                .orElse(card.numLayers() - card.stateLayers().orElse(0));
    }

    /** Layers with a feed-forward part. */
    public static int ffnLayers(ModelCard card) {
        return card.ffnLayers().orElse(card.numLayers());
    }

    /** Weights of a layer with a recurrent state: what goes in, the gate and what writes and reads the state; and out. */
    public static long state(ModelCard card) {
        long width = card.stateDim().orElse(0);
        return card.hiddenSize() * (3 * width + card.stateGroupDim().orElse(0));
    }

    /** Whether a layer, counted from 0, is a mixture of experts. */
    public static boolean isMixture(ModelCard card, int layer) {
        int behind = layer - card.firstDenseLayers().orElse(0);
        return card.isMixtureOfExperts()
                && behind >= 0
                && (behind + 1) % card.moeLayerStep().orElse(1) == 0;
    }

    /** Layers that are a mixture of experts: every step-th one behind the leading dense ones. */
    public static int expertLayers(ModelCard card) {
        int behind = Math.max(0, ffnLayers(card) - card.firstDenseLayers().orElse(0));
        return card.isMixtureOfExperts() ? behind / card.moeLayerStep().orElse(1) : 0;
    }

    /** Weights of the router and the shared experts of a mixture-of-experts layer. */
    public static long sharedByTokens(ModelCard card) {
        long router = (long) card.hiddenSize() * card.numExperts().orElse(0);
        return router + matrices(card, card.sharedFfnDim().orElse(0));
    }

    /** Weights of one feed-forward layer of an inner width. */
    public static long matrices(ModelCard card, int width) {
        return (long) card.mlpMatrices() * card.hiddenSize() * width;
    }

    /** Weights of one layer's attention: its projections. */
    public static long attention(ModelCard card) {
        long hidden = card.hiddenSize();
        long heads = card.numHeads();
        if (!card.isLatentAttention()) {
            return hidden * card.headDim() * 2 * (heads + card.numKvHeads());
        }
        long rope = card.qkRopeDim().orElse(0);
        long nope = card.qkNopeDim().orElse(card.headDim());
        long value = card.vHeadDim().orElse(card.headDim());
        long queryRank = card.qLoraRank().orElse(0);
        long rank = card.kvLoraRank().orElse(0);
        long wide = heads * (nope + rope);
        long query = queryRank == 0 ? hidden * wide : queryRank * (hidden + wide);
        return query + hidden * (rank + rope) + rank * heads * (nope + value) + heads * value * hidden;
    }

    /** Values that one token leaves in one layer's cache. */
    public static long kvValues(ModelCard card) {
        return card.isLatentAttention()
                ? (long) card.kvLoraRank().orElse(0) + card.qkRopeDim().orElse(0)
                : 2L * card.numKvHeads() * card.headDim();
    }
}
