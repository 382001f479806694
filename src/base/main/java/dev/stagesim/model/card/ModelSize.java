package dev.stagesim.model.card;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Locale;

/**
 * Size of a model, computed from its card's dimensions with the formula in {@code specs/serving.md}.
 *
 * <p>Norms and biases are not counted; they are below 0.1 % in every shipped card.
 *
 * @param parameters all weights
 * @param activeParameters weights that one token uses, including only the routed experts that it visits
 * @param kvBytesPerToken KV-cache bytes of one token over all layers and heads; windowed layers are counted in full
 * @param weightBytes bytes of all weights in the precision of their layer group
 */
public record ModelSize(long parameters, long activeParameters, long kvBytesPerToken, long weightBytes) {
    private static final double MAX_PARAMETERS = 1e15;

    /** Bytes of the scale of an indexer key. */
    private static final int INDEX_SCALE_BYTES = 4;

    static ModelSize of(ModelCard card) {
        // exact: integers below 2^53
        double embedding = (double) card.shape().vocabSize() * card.shape().hiddenSize();
        double head = card.tieEmbeddings() ? 0 : embedding;
        double other = card.hybrid().otherParams().orElse(0L);
        double experts = expertLayers(card);
        double attention = (double) attentionLayers(card) * attention(card);
        double state = (double) card.hybrid().stateLayers().orElse(0) * state(card);
        double dense = (ffnLayers(card) - experts) * matrices(card, card.shape().ffnDim());
        double shared = experts * unroutedWeights(card);
        double expert = experts == 0 ? 0 : experts * expert(card);
        double routed = expert * card.experts().numExperts().orElse(0);
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
                (long) (common + expert * card.experts().expertsPerToken().orElse(0)),
                kvBytes(card),
                Math.round(bytes));
    }

    private static long kvBytes(ModelCard card) {
        int layers = attentionLayers(card);
        double index = indexLayers(card) * indexBytes(card);
        if (!card.sparse().compressRatios().isEmpty()) {
            double entries = card.sparse().compressRatios().stream()
                    .filter(ratio -> ratio > 0)
                    .mapToDouble(ratio -> 1.0 / ratio)
                    .sum();
            return Math.round(card.cacheBytes() * entries * kvValues(card) + index / indexRatio(card));
        }
        int windowed = LayerPattern.of(card).count(layers);
        double values = (double) windowed * windowKvValues(card) + (double) (layers - windowed) * kvValues(card);
        return Math.round(card.cacheBytes() * values + index);
    }

    /** Returns the number of layers with an indexer and its cache. */
    public static int indexLayers(ModelCard card) {
        if (card.sparse().indexDim().isEmpty()) {
            return 0;
        }
        return card.sparse().indexLayers().orElseGet(() -> sparseLayers(card));
    }

    /** Returns the number of layers that attend to selected tokens only. */
    public static int sparseLayers(ModelCard card) {
        if (card.sparse().indexTopk().isEmpty()) {
            return 0;
        }
        int ratio = indexRatio(card);
        return card.sparse().compressRatios().isEmpty()
                ? card.sparse().sparseLayers().orElse(attentionLayers(card))
                : (int) card.sparse().compressRatios().stream()
                        .filter(layerRatio -> layerRatio == ratio)
                        .count();
    }

    /** Returns the tokens per entry in the layers with an indexer: the lowest ratio. */
    public static int indexRatio(ModelCard card) {
        return card.sparse().compressRatios().stream()
                .filter(ratio -> ratio > 0)
                .mapToInt(Integer::intValue)
                .min()
                .orElse(1);
    }

    /** Returns the bytes that an indexer caches per token: 8 bits per value, and a scale. */
    public static double indexBytes(ModelCard card) {
        return card.sparse().indexDim().map(width -> width + INDEX_SCALE_BYTES).orElse(0);
    }

    public static int attentionLayers(ModelCard card) {
        return card.hybrid()
                .attentionLayers()
                .orElse(card.shape().numLayers() - card.hybrid().stateLayers().orElse(0));
    }

    /** Returns the number of layers with a feed-forward part. */
    public static int ffnLayers(ModelCard card) {
        return card.hybrid().ffnLayers().orElse(card.shape().numLayers());
    }

    /**
     * Returns the weights of a layer with a recurrent state: input, gate, output, and the projections that write and
     * read the state.
     */
    public static long state(ModelCard card) {
        return card.hybrid().stateParams().orElseGet(() -> derivedStateWeights(card));
    }

    private static long derivedStateWeights(ModelCard card) {
        long width = card.hybrid().stateDim().orElse(0);
        return card.shape().hiddenSize()
                * (3 * width + card.hybrid().stateGroupDim().orElse(0));
    }

    /** True if a layer, counted from 0, has experts. */
    public static boolean isMixture(ModelCard card, int layer) {
        if (card.experts().expertLayers().isPresent()) {
            long count = card.experts().expertLayers().get();
            int layers = ffnLayers(card);
            return (layer + 1) * count / layers > layer * count / layers;
        }
        int position = layer - card.experts().firstDenseLayers().orElse(0);
        return card.isMixtureOfExperts()
                && position >= 0
                && (position + 1) % card.experts().moeLayerStep().orElse(1) == 0;
    }

    /** Returns the number of layers with experts: one per step after the leading dense layers. */
    public static int expertLayers(ModelCard card) {
        int position =
                Math.max(0, ffnLayers(card) - card.experts().firstDenseLayers().orElse(0));
        return card.isMixtureOfExperts()
                ? card.experts()
                        .expertLayers()
                        .orElse(position / card.experts().moeLayerStep().orElse(1))
                : 0;
    }

    /** Returns the weights of one layer outside the routed experts: router, shared experts and latent projections. */
    public static long unroutedWeights(ModelCard card) {
        long router =
                (long) card.shape().hiddenSize() * card.experts().numExperts().orElse(0);
        long latentProjections = card.experts()
                .moeHiddenSize()
                .map(width -> 2L * width * card.shape().hiddenSize())
                .orElse(0L);
        return router
                + latentProjections
                + matrices(card, card.experts().sharedFfnDim().orElse(0));
    }

    /** Returns the weights of one routed expert. */
    public static long expert(ModelCard card) {
        return (long) card.shape().mlpMatrices()
                * card.expertHiddenSize()
                * card.experts().moeFfnDim().orElse(card.shape().ffnDim());
    }

    /** Returns the weights of one feed-forward layer with a given inner width. */
    public static long matrices(ModelCard card, int width) {
        return (long) card.shape().mlpMatrices() * card.shape().hiddenSize() * width;
    }

    /** Returns the attention weights of an average layer. */
    public static long attention(ModelCard card) {
        return card.latent().attentionParams().orElseGet(() -> projections(card));
    }

    /** Returns the projection weights of an average layer, derived from heads and widths. */
    public static long projections(ModelCard card) {
        int layers = attentionLayers(card);
        int windowed = LayerPattern.of(card).count(layers);
        long full = card.isLatentAttention()
                ? latent(card)
                : grouped(
                        card,
                        card.shape().numHeads(),
                        card.shape().numKvHeads(),
                        card.shape().headDim());
        if (windowed == 0 || !hasOwnWindowShape(card)) {
            return full;
        }
        long window = grouped(card, windowHeads(card), windowKvHeads(card), windowHeadDim(card));
        return Math.round((windowed * (double) window + (layers - windowed) * (double) full) / layers);
    }

    private static long grouped(ModelCard card, long heads, long kvHeads, int headDim) {
        long value = card.latent().vHeadDim().orElse(headDim);
        return card.shape().hiddenSize() * (heads * headDim + kvHeads * headDim + (heads + kvHeads) * value);
    }

    private static long latent(ModelCard card) {
        long hidden = card.shape().hiddenSize();
        long heads = card.shape().numHeads();
        long rope = card.latent().qkRopeDim().orElse(0);
        long nope = card.latent().qkNopeDim().orElse(card.shape().headDim());
        long value = card.latent().vHeadDim().orElse(card.shape().headDim());
        long queryRank = card.latent().qLoraRank().orElse(0);
        long rank = card.latent().kvLoraRank().orElse(0);
        long queryWidth = heads * (nope + rope);
        long query = queryRank == 0 ? hidden * queryWidth : queryRank * (hidden + queryWidth);
        return query + hidden * (rank + rope) + rank * heads * (nope + value) + heads * value * hidden;
    }

    /** True if windowed layers have another head shape than full layers. */
    public static boolean hasOwnWindowShape(ModelCard card) {
        return card.window().windowNumHeads().isPresent()
                || card.window().windowNumKvHeads().isPresent()
                || card.window().windowHeadDim().isPresent();
    }

    /** Returns the query heads of a windowed layer. */
    public static int windowHeads(ModelCard card) {
        return card.window().windowNumHeads().orElse(card.shape().numHeads());
    }

    /** Returns the key and value heads of a windowed layer. */
    public static int windowKvHeads(ModelCard card) {
        return card.window().windowNumKvHeads().orElse(card.shape().numKvHeads());
    }

    /** Returns the head width of a windowed layer. */
    public static int windowHeadDim(ModelCard card) {
        return card.window().windowHeadDim().orElse(card.shape().headDim());
    }

    /** Returns the values that one token adds to the cache of a full layer. */
    public static long kvValues(ModelCard card) {
        if (card.latent().kvValues().isPresent()) {
            return card.latent().kvValues().get();
        }
        return card.isLatentAttention()
                ? (long) card.latent().kvLoraRank().orElse(0)
                        + card.latent().qkRopeDim().orElse(0)
                : (long) card.shape().numKvHeads()
                        * (card.shape().headDim()
                                + card.latent().vHeadDim().orElse(card.shape().headDim()));
    }

    /** Returns the values that one token adds to the cache of a windowed layer. */
    public static long windowKvValues(ModelCard card) {
        if (!hasOwnWindowShape(card)) {
            return kvValues(card);
        }
        int width = windowHeadDim(card);
        return (long) windowKvHeads(card) * (width + card.latent().vHeadDim().orElse(width));
    }
}
