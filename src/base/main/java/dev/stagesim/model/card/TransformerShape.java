package dev.stagesim.model.card;

import dev.stagesim.model.Key;
import java.util.Optional;

/** Widths and counts of a transformer layer. */
public record TransformerShape(
        @Key("How queries share keys and values.") ModelCard.Attention attention,
        @Key("Width of the residual stream. | required | 1..10000000") int hiddenSize,
        @Key("Transformer layers. | required | 1..10000") int numLayers,
        @Key("Additional layers for multi-token prediction, used for drafts. | null | 0..1000")
                Optional<Integer> mtpLayers,
        @Key("Query heads. | required | 1..1000000") int numHeads,
        @Key("Key and value heads. | required | 1..1000000") int numKvHeads,
        @Key("Width of one query head; explicit, because it need not be hidden_size / num_heads. | required"
                        + " | 1..1000000")
                int headDim,
        @Key("Inner width of a dense feed-forward layer, one matrix. | required | 1..100000000") int ffnDim,
        @Key("Matrices of a feed-forward layer: 3 when gated, else 2. | required | 2..3") int mlpMatrices,
        @Key("Whether a second norm precedes the feed-forward layer; false if attention and feed-forward share"
                        + " one norm. | true")
                boolean postAttentionNorm,
        @Key("Whether queries and keys are normalised per head. | false") boolean qkNorm,
        @Key("Tokens in the vocabulary. | required | tokens | 1..100000000") int vocabSize) {
    private static final long MAX_QUERY_WIDTH = 100_000_000;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the values contradict each other
     */
    public TransformerShape {
        CardRule.require(
                attention == ModelCard.Attention.MLA || numHeads % numKvHeads == 0,
                "num_heads " + numHeads + " is not a multiple of num_kv_heads " + numKvHeads);
        CardRule.require(
                (long) numHeads * headDim <= MAX_QUERY_WIDTH,
                "num_heads " + numHeads + " x head_dim " + headDim + " is more than " + MAX_QUERY_WIDTH);
    }
}
