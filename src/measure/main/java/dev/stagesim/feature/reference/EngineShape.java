package dev.stagesim.feature.reference;

import dev.stagesim.model.card.ModelCard;

/**
 * The dimensions of the engine's model, from a model card.
 *
 * @param layers transformer layers
 * @param hidden width of the residual stream
 * @param heads query heads
 * @param kvHeads key and value heads
 * @param headDim width of a head, even
 * @param ffn inner width of the feed-forward layer
 * @param gated true if the feed-forward layer has a gate
 * @param secondNorm true if the feed-forward layer has a separate norm; otherwise it shares the norm of attention
 * @param qkNorm true if queries and keys are normalised per head
 * @param vocab tokens in the vocabulary
 * @param tied true if the output head reuses the embedding
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
    /** Returns the shape of a dense card. {@link EngineLimits} rejects other cards. */
    public static EngineShape of(ModelCard card) {
        return new EngineShape(
                card.shape().numLayers(),
                card.shape().hiddenSize(),
                card.shape().numHeads(),
                card.shape().numKvHeads(),
                card.shape().headDim(),
                card.shape().ffnDim(),
                card.gatedMlp(),
                card.shape().postAttentionNorm(),
                card.shape().qkNorm(),
                card.shape().vocabSize(),
                card.tieEmbeddings());
    }

    /** Returns the width of the queries of a token. */
    int queryWidth() {
        return heads * headDim;
    }

    /** Returns the width of the keys or values of a token. */
    int kvWidth() {
        return kvHeads * headDim;
    }

    /** Returns the width of the first product of the feed-forward layer, which contains gate and up. */
    int upWidth() {
        return gated ? 2 * ffn : ffn;
    }

    /** Returns the number of weights of layers, embedding and output head. A tied head is stored separately. */
    public long weights() {
        long attention = (long) hidden * (queryWidth() + 2L * kvWidth()) + (long) queryWidth() * hidden;
        long feedForward = (long) hidden * upWidth() + (long) ffn * hidden;
        return layers * (attention + feedForward) + 2L * vocab * hidden;
    }

    long weightBytes() {
        return Float.BYTES * weights();
    }
}
