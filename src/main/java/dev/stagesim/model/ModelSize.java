package dev.stagesim.model;

import java.util.Locale;

/**
 * Size of a model, counted from its card's dimensions; {@code specs/serving.md} states the formula.
 *
 * <p>Norms and biases are left out: they are below 0.1 % of every model there is a card for.
 *
 * @param parameters all weights
 * @param activeParameters weights that one token uses: of the routed experts only those it visits
 * @param kvBytesPerToken KV-cache bytes of one token over all layers and heads; windowed layers count in full
 * @param weightBytes bytes of all weights; by group of layers as the card says
 */
public record ModelSize(long parameters, long activeParameters, long kvBytesPerToken, long weightBytes) {
    private static final double MAX_PARAMETERS = 1e15;

    /** Bytes of the scale of an indexer key. */
    private static final int INDEX_SCALE_BYTES = 4;

    static ModelSize of(ModelCard card) {
        // exact: integers below 2^53
        double embedding = (double) card.vocabSize() * card.hiddenSize();
        double head = card.tieEmbeddings() ? 0 : embedding;
        double other = card.otherParams().orElse(0L);
        double experts = expertLayers(card);
        double attention = (double) attentionLayers(card) * attention(card);
        double state = (double) card.stateLayers().orElse(0) * state(card);
        double dense = (ffnLayers(card) - experts) * matrices(card, card.ffnDim());
        double shared = experts * sharedByTokens(card);
        double expert = experts == 0 ? 0 : experts * expert(card);
        double routed = expert * card.numExperts().orElse(0);
        double common = embedding + head + other + attention + state + dense + shared;
        if (common + routed > MAX_PARAMETERS) {
            throw StageException.input(Problem.config(
                    "model",
                    String.format(
                            Locale.ROOT,
                            "its dimensions give %.3g parameters, expected at most %.0g",
                            common + routed,
                            MAX_PARAMETERS)));
        }
        double bytes = (embedding + other) * card.bytes(LayerGroup.EMBEDDING)
                + head * card.bytes(LayerGroup.HEAD)
                + attention * card.bytes(LayerGroup.ATTENTION)
                + state * card.bytes(LayerGroup.STATE)
                + dense * card.bytes(LayerGroup.DENSE)
                + shared * card.bytes(LayerGroup.SHARED_EXPERTS)
                + routed * card.bytes(LayerGroup.EXPERTS);
        return new ModelSize(
                (long) (common + routed),
                (long) (common + expert * card.expertsPerToken().orElse(0)),
                kvBytes(card),
                Math.round(bytes));
    }

    private static long kvBytes(ModelCard card) {
        int layers = attentionLayers(card);
        double index = indexLayers(card) * indexBytes(card);
        if (!card.compressRatios().isEmpty()) {
            double entries = card.compressRatios().stream()
                    .filter(ratio -> ratio > 0)
                    .mapToDouble(ratio -> 1.0 / ratio)
                    .sum();
            return Math.round(card.kvCache().bytes() * entries * kvValues(card) + index / indexRatio(card));
        }
        int windowed = LayerPattern.of(card).count(layers);
        double values = (double) windowed * windowKvValues(card) + (double) (layers - windowed) * kvValues(card);
        return Math.round(card.kvCache().bytes() * values + index);
    }

    /** Layers with an indexer and its cache. */
    public static int indexLayers(ModelCard card) {
        if (card.indexDim().isEmpty()) {
            return 0;
        }
        return card.indexLayers().orElseGet(() -> sparseLayers(card));
    }

    /** Layers that attend to selected tokens only. */
    public static int sparseLayers(ModelCard card) {
        if (card.indexTopk().isEmpty()) {
            return 0;
        }
        int ratio = indexRatio(card);
        return card.compressRatios().isEmpty()
                ? card.sparseLayers().orElse(attentionLayers(card))
                : (int) card.compressRatios().stream()
                        .filter(its -> its == ratio)
                        .count();
    }

    /** Tokens that share an entry in the layers with an indexer: the lowest ratio. */
    public static int indexRatio(ModelCard card) {
        return card.compressRatios().stream()
                .filter(ratio -> ratio > 0)
                .mapToInt(Integer::intValue)
                .min()
                .orElse(1);
    }

    /** Bytes that the indexer of a layer caches for each token: 8 bits a value, and a scale. */
    public static double indexBytes(ModelCard card) {
        return card.indexDim().map(width -> width + INDEX_SCALE_BYTES).orElse(0);
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
        return card.stateParams().orElseGet(() -> statesOf(card));
    }

    private static long statesOf(ModelCard card) {
        long width = card.stateDim().orElse(0);
        return card.hiddenSize() * (3 * width + card.stateGroupDim().orElse(0));
    }

    /** Whether a layer, counted from 0, is a mixture of experts. */
    public static boolean isMixture(ModelCard card, int layer) {
        if (card.expertLayers().isPresent()) {
            long count = card.expertLayers().get();
            int all = ffnLayers(card);
            return (layer + 1) * count / all > layer * count / all;
        }
        int behind = layer - card.firstDenseLayers().orElse(0);
        return card.isMixtureOfExperts()
                && behind >= 0
                && (behind + 1) % card.moeLayerStep().orElse(1) == 0;
    }

    /** Layers that are a mixture of experts: every step-th one behind the leading dense ones. */
    public static int expertLayers(ModelCard card) {
        int behind = Math.max(0, ffnLayers(card) - card.firstDenseLayers().orElse(0));
        return card.isMixtureOfExperts()
                ? card.expertLayers().orElse(behind / card.moeLayerStep().orElse(1))
                : 0;
    }

    /** Weights of the router, the shared experts and the projections around latent experts, of one layer. */
    public static long sharedByTokens(ModelCard card) {
        long router = (long) card.hiddenSize() * card.numExperts().orElse(0);
        long around = card.moeHiddenSize()
                .map(width -> 2L * width * card.hiddenSize())
                .orElse(0L);
        return router + around + matrices(card, card.sharedFfnDim().orElse(0));
    }

    /** Weights of one routed expert. */
    public static long expert(ModelCard card) {
        return (long) card.mlpMatrices()
                * card.expertHiddenSize()
                * card.moeFfnDim().orElse(card.ffnDim());
    }

    /** Weights of one feed-forward layer of an inner width. */
    public static long matrices(ModelCard card, int width) {
        return (long) card.mlpMatrices() * card.hiddenSize() * width;
    }

    /** Weights of an average layer's attention. */
    public static long attention(ModelCard card) {
        return card.attentionParams().orElseGet(() -> projections(card));
    }

    /** Weights of an average layer's projections, as far as they follow from heads and widths. */
    public static long projections(ModelCard card) {
        int layers = attentionLayers(card);
        int windowed = LayerPattern.of(card).count(layers);
        long full = card.isLatentAttention()
                ? latent(card)
                : grouped(card, card.numHeads(), card.numKvHeads(), card.headDim());
        if (windowed == 0 || !hasOwnWindowShape(card)) {
            return full;
        }
        long window = grouped(card, windowHeads(card), windowKvHeads(card), windowHeadDim(card));
        return Math.round((windowed * (double) window + (layers - windowed) * (double) full) / layers);
    }

    private static long grouped(ModelCard card, long heads, long kvHeads, int headDim) {
        long value = card.vHeadDim().orElse(headDim);
        return card.hiddenSize() * (heads * headDim + kvHeads * headDim + (heads + kvHeads) * value);
    }

    private static long latent(ModelCard card) {
        long hidden = card.hiddenSize();
        long heads = card.numHeads();
        long rope = card.qkRopeDim().orElse(0);
        long nope = card.qkNopeDim().orElse(card.headDim());
        long value = card.vHeadDim().orElse(card.headDim());
        long queryRank = card.qLoraRank().orElse(0);
        long rank = card.kvLoraRank().orElse(0);
        long wide = heads * (nope + rope);
        long query = queryRank == 0 ? hidden * wide : queryRank * (hidden + wide);
        return query + hidden * (rank + rope) + rank * heads * (nope + value) + heads * value * hidden;
    }

    /** Whether windowed layers have other heads than full ones. */
    public static boolean hasOwnWindowShape(ModelCard card) {
        return card.windowNumHeads().isPresent()
                || card.windowNumKvHeads().isPresent()
                || card.windowHeadDim().isPresent();
    }

    /** Query heads of a windowed layer. */
    public static int windowHeads(ModelCard card) {
        return card.windowNumHeads().orElse(card.numHeads());
    }

    /** Key and value heads of a windowed layer. */
    public static int windowKvHeads(ModelCard card) {
        return card.windowNumKvHeads().orElse(card.numKvHeads());
    }

    /** Width of a head of a windowed layer. */
    public static int windowHeadDim(ModelCard card) {
        return card.windowHeadDim().orElse(card.headDim());
    }

    /** Values that one token leaves in the cache of a full layer. */
    public static long kvValues(ModelCard card) {
        if (card.kvValues().isPresent()) {
            return card.kvValues().get();
        }
        return card.isLatentAttention()
                ? (long) card.kvLoraRank().orElse(0) + card.qkRopeDim().orElse(0)
                : (long) card.numKvHeads() * (card.headDim() + card.vHeadDim().orElse(card.headDim()));
    }

    /** Values that one token leaves in the cache of a windowed layer. */
    public static long windowKvValues(ModelCard card) {
        if (!hasOwnWindowShape(card)) {
            return kvValues(card);
        }
        int width = windowHeadDim(card);
        return (long) windowKvHeads(card) * (width + card.vHeadDim().orElse(width));
    }
}
