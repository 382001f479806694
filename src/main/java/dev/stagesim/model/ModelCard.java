package dev.stagesim.model;

import java.util.Optional;

/**
 * Dimensions of one language model, and where they come from.
 *
 * <p>The configuration group {@code model} holds one option per card.
 */
public record ModelCard(
        @Key(doc = "Full name as its publisher spells it.") String name,
        @Key(doc = "Architecture family, for example qwen3.") String family,
        @Key(doc = "How queries share keys and values.") Attention attention,
        @Key(doc = "Width of the residual stream.", min = "1") int hiddenSize,
        @Key(doc = "Transformer layers.", min = "1") int numLayers,
        @Key(doc = "Query heads.", min = "1") int numHeads,
        @Key(doc = "Key and value heads.", min = "1") int numKvHeads,
        @Key(doc = "Width of one query head; explicit, because it need not be hidden_size / num_heads.", min = "1")
                int headDim,
        @Key(doc = "Inner width of a dense feed-forward layer, one matrix.", min = "1") int ffnDim,
        @Key(doc = "Matrices of a feed-forward layer: 3 when gated, else 2.", min = "2", max = "3") int mlpMatrices,
        @Key(
                        doc =
                                "Whether a second norm precedes the feed-forward layer; false where attention and feed-forward share one.",
                        def = "true")
                boolean postAttentionNorm,
        @Key(doc = "Whether queries and keys are normalised per head.", def = "false") boolean qkNorm,
        @Key(doc = "Tokens in the vocabulary.", unit = "tokens", min = "1") int vocabSize,
        @Key(doc = "Routed experts of a mixture-of-experts layer.", def = "null", min = "1")
                Optional<Integer> numExperts,
        @Key(doc = "Routed experts that each token visits.", def = "null", min = "1") Optional<Integer> expertsPerToken,
        @Key(doc = "Inner width of one routed expert.", def = "null", min = "1") Optional<Integer> moeFfnDim,
        @Key(doc = "Experts that every token visits.", def = "null", min = "0") Optional<Integer> sharedExperts,
        @Key(doc = "Inner width of all shared experts together.", def = "null", min = "1")
                Optional<Integer> sharedFfnDim,
        @Key(doc = "Leading layers that are dense in a mixture-of-experts model.", def = "null", min = "0")
                Optional<Integer> firstDenseLayers,
        @Key(doc = "Every how many layers one is a mixture of experts.", def = "null", min = "1")
                Optional<Integer> moeLayerStep,
        @Key(doc = "Rank of the compressed query; 0 when it is not compressed.", def = "null", min = "0")
                Optional<Integer> qLoraRank,
        @Key(doc = "Rank of the compressed key and value.", def = "null", min = "1") Optional<Integer> kvLoraRank,
        @Key(doc = "Width of the part of a query head that carries no position.", def = "null", min = "1")
                Optional<Integer> qkNopeDim,
        @Key(doc = "Width of the part of a query head that carries the position.", def = "null", min = "1")
                Optional<Integer> qkRopeDim,
        @Key(doc = "Width of a value head where it differs from head_dim.", def = "null", min = "1")
                Optional<Integer> vHeadDim,
        @Key(doc = "Tokens that a windowed layer attends to.", unit = "tokens", def = "null", min = "1")
                Optional<Integer> slidingWindow,
        @Key(doc = "Which layers are windowed; every layer when absent.", def = "null") Optional<String> swaPattern,
        @Key(doc = "Greatest context length.", unit = "tokens", min = "1") int maxPosition,
        @Key(doc = "Whether the output head reuses the embedding.", def = "false") boolean tieEmbeddings,
        @Key(doc = "Parameters the publisher states.", unit = "1e9", min = "0", above = true) double advertisedParamsB,
        @Key(doc = "How well the figures are supported.") Confidence confidence,
        @Key(doc = "Where the figures come from.") String source,
        @Key(doc = "What to know before using them.", def = "null") Optional<String> notes) {
    /** How query heads share key and value heads. */
    public enum Attention {
        /** Every query head has its own keys and values. */
        MHA,
        /** Groups of query heads share keys and values. */
        GQA,
        /** All query heads share one key and value head. */
        MQA,
        /** Keys and values are expanded from one compressed latent vector per token. */
        MLA
    }

    /**
     * Checks that the dimensions go together.
     *
     * @throws IllegalArgumentException when they do not; the binder turns it into a problem with the value's place
     */
    public ModelCard {
        if (attention != Attention.MLA && numHeads % numKvHeads != 0) {
            throw new IllegalArgumentException(
                    "num_heads " + numHeads + " is not a multiple of num_kv_heads " + numKvHeads);
        }
        if (numExperts.isPresent() && (expertsPerToken.isEmpty() || moeFfnDim.isEmpty())) {
            throw new IllegalArgumentException(
                    "a mixture of experts (num_experts) needs experts_per_token and moe_ffn_dim as well");
        }
    }

    /** Whether the feed-forward layer has a gate. */
    public boolean gatedMlp() {
        return mlpMatrices == 3;
    }

    public boolean isMixtureOfExperts() {
        return numExperts.isPresent();
    }

    /** Whether keys and values are compressed into a latent vector. */
    public boolean isLatentAttention() {
        return attention == Attention.MLA;
    }

    /** What the dimensions make of parameters and KV cache. */
    public ModelSize size() {
        return ModelSize.of(this);
    }
}
