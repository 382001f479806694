package dev.stagesim.feature.reference;

import dev.stagesim.model.ModelCard;

/**
 * What of a model card the engine builds.
 *
 * @param layers transformer layers
 * @param hidden width of the residual stream
 * @param heads query heads
 * @param kvHeads key and value heads
 * @param headDim width of a head, even
 * @param ffn inner width of the feed-forward layer
 * @param gated whether the feed-forward layer has a gate
 * @param secondNorm whether a second norm precedes the feed-forward layer; else attention and feed-forward share one
 * @param qkNorm whether queries and keys are normalised per head
 * @param vocab tokens in the vocabulary
 * @param tied whether the output head reuses the embedding
 */
public record EngineShape(
        int layers,
        int hidden,
        int heads,
        int kvHeads,
        int headDim,
        int ffn,
        boolean gated,
        boolean secondNorm,
        boolean qkNorm,
        int vocab,
        boolean tied) {
    /** The shape of a dense card; see {@link EngineLimits} for the cards there is no engine for. */
    public static EngineShape of(ModelCard card) {
        return new EngineShape(
                card.numLayers(),
                card.hiddenSize(),
                card.numHeads(),
                card.numKvHeads(),
                card.headDim(),
                card.ffnDim(),
                card.gatedMlp(),
                card.postAttentionNorm(),
                card.qkNorm(),
                card.vocabSize(),
                card.tieEmbeddings());
    }

    /** Width of the queries of a token. */
    int queryWidth() {
        return heads * headDim;
    }

    /** Width of the keys, and of the values, of a token. */
    int kvWidth() {
        return kvHeads * headDim;
    }

    /** Width of the first product of the feed-forward layer: gate and up side by side. */
    int upWidth() {
        return gated ? 2 * ffn : ffn;
    }

    /** Weights of the layers, the embedding and the output head, which is kept apart even when they are tied. */
    public long weights() {
        long attention = (long) hidden * (queryWidth() + 2L * kvWidth()) + (long) queryWidth() * hidden;
        long feedForward = (long) hidden * upWidth() + (long) ffn * hidden;
        return layers * (attention + feedForward) + 2L * vocab * hidden;
    }

    long weightBytes() {
        return Float.BYTES * weights();
    }
}
