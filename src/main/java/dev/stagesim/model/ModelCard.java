package dev.stagesim.model;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Dimensions of one language model, and where they come from.
 *
 * <p>The configuration group {@code model} holds one option per card.
 */
public record ModelCard(
        @Key("Full name as its publisher spells it.") String name,
        @Key("Architecture family, for example qwen3.") String family,
        @Key("How queries share keys and values.") Attention attention,
        @Key("Width of the residual stream. | required | 1..10000000") int hiddenSize,
        @Key("Transformer layers. | required | 1..10000") int numLayers,
        @Key("Query heads. | required | 1..1000000") int numHeads,
        @Key("Key and value heads. | required | 1..1000000") int numKvHeads,
        @Key(
                        "Width of one query head; explicit, because it need not be hidden_size / num_heads. | required | 1..1000000")
                int headDim,
        @Key("Inner width of a dense feed-forward layer, one matrix. | required | 1..100000000") int ffnDim,
        @Key("Matrices of a feed-forward layer: 3 when gated, else 2. | required | 2..3") int mlpMatrices,
        @Key("Whether a second norm precedes the feed-forward layer; false where attention and feed-forward share"
                        + " one. | true")
                boolean postAttentionNorm,
        @Key("Whether queries and keys are normalised per head. | false") boolean qkNorm,
        @Key("Tokens in the vocabulary. | required | tokens | 1..100000000") int vocabSize,
        @Key("Routed experts of a mixture-of-experts layer. | null | 1..1000000") Optional<Integer> numExperts,
        @Key("Routed experts that each token visits. | null | 1..1000000") Optional<Integer> expertsPerToken,
        @Key("Inner width of one routed expert. | null | 1..100000000") Optional<Integer> moeFfnDim,
        @Key("Experts that every token visits. | null | 0..1000000") Optional<Integer> sharedExperts,
        @Key("Inner width of all shared experts together. | null | 1..100000000") Optional<Integer> sharedFfnDim,
        @Key("Leading layers that are dense in a mixture-of-experts model. | null | 0..100000")
                Optional<Integer> firstDenseLayers,
        @Key("Every how many layers one is a mixture of experts. | null | 1..100000") Optional<Integer> moeLayerStep,
        @Key("Rank of the compressed query; 0 when it is not compressed. | null | 0..1000000")
                Optional<Integer> qLoraRank,
        @Key("Rank of the compressed key and value. | null | 1..1000000") Optional<Integer> kvLoraRank,
        @Key("Width of the part of a query head that carries no position. | null | 1..1000000")
                Optional<Integer> qkNopeDim,
        @Key("Width of the part of a query head that carries the position. | null | 1..1000000")
                Optional<Integer> qkRopeDim,
        @Key("Width of a value head where it differs from head_dim. | null | 1..1000000") Optional<Integer> vHeadDim,
        @Key("Tokens that a windowed layer attends to. | null | tokens | 1..1000000000")
                Optional<Integer> slidingWindow,
        @Key("Which layers are windowed; every layer when absent. | null") Optional<String> swaPattern,
        @Key("Layers with attention, where not every layer has it. | null | 0..100000")
                Optional<Integer> attentionLayers,
        @Key("Layers with a feed-forward part, where not every layer has it. | null | 0..100000")
                Optional<Integer> ffnLayers,
        @Key("Layers with a recurrent state: Mamba, linear attention. | null | 0..100000")
                Optional<Integer> stateLayers,
        @Key("Inner width of a layer with a state, all heads together. | null | 1..10000000")
                Optional<Integer> stateDim,
        @Key("Values of the state for each of them. | null | 1..1000000") Optional<Integer> stateSize,
        @Key("Width of what writes and reads the state, both together. | null | 1..10000000")
                Optional<Integer> stateGroupDim,
        @Key("How weights are stored; embeddings and output head are bf16. | bf16") Precision weights,
        @Key("How routed experts are stored where it differs. | null") Optional<Precision> expertWeights,
        @Key("How the KV cache is stored. | bf16") Precision kvCache,
        @Key("Maximum context length. | required | tokens | 1..1000000000") int maxPosition,
        @Key("Whether the output head reuses the embedding. | false") boolean tieEmbeddings,
        @Key("Parameters the publisher states. | required | 1e9 | 0.000001..1000000000") double advertisedParamsB,
        @Key("How well the figures are supported.") Confidence confidence,
        @Key("Where the figures come from.") String source,
        @Key("What to know before using them. | null") Optional<String> notes,
        @Key("config.json of the model as Hugging Face publishes it, from the working directory: it gives the card, and"
                        + " keys that are set beside it override single figures. | null")
                @Access(Access.Resource.FILE)
                Optional<String> hfConfig) {
    /** How query heads share key and value heads. */
    public enum Attention {
        MHA, // Every query head has its own keys and values.
        GQA, // Groups of query heads share keys and values.
        MQA, // All query heads share one key and value head.
        MLA // Keys and values are expanded from one compressed latent vector per token.
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
        CardRule.named(name);
        CardRule.ordered("experts_per_token", expertsPerToken, "num_experts", numExperts);
        Optional<Integer> layers = Optional.of(numLayers);
        CardRule.ordered("attention_layers", attentionLayers, "num_layers", layers);
        CardRule.ordered("ffn_layers", ffnLayers, "num_layers", layers);
        CardRule.ordered("state_layers", stateLayers, "num_layers", layers);
        CardRule.ordered("first_dense_layers", firstDenseLayers, "num_layers", layers);
        CardRule.ordered("moe_layer_step", moeLayerStep, "num_layers", layers);
        CardRule.require(
                attention != Attention.MLA || kvLoraRank.isPresent(), "attention=mla needs kv_lora_rank as well");
        CardRule.require(
                stateLayers.orElse(0) == 0 || (stateDim.isPresent() && stateSize.isPresent()),
                "layers with a state (state_layers) need state_dim and state_size as well");
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

    /** How routed experts are stored. */
    public Precision expertPrecision() {
        return expertWeights.orElse(weights);
    }

    /** The same model with weights and cache stored in another way. */
    public ModelCard stored(Precision weights, Precision experts, Precision kv) {
        Map<String, Object> changes = new LinkedHashMap<>();
        changes.put("weights", weights);
        changes.put("expertWeights", Optional.of(experts));
        changes.put("kvCache", kv);
        return KeyRecord.with(ModelCard.class, this, changes);
    }

    /** What the dimensions make of parameters and KV cache. */
    public ModelSize size() {
        return ModelSize.of(this);
    }
}
