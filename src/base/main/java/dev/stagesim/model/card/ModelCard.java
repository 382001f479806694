package dev.stagesim.model.card;

import dev.stagesim.model.Access;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Dimensions of one language model, and their sources.
 *
 * <p>The configuration group {@code model} has one option per card.
 */
@FormerKeys("advertised_params_b=published_params_b")
public record ModelCard(
        @Key("Full name as its publisher spells it.") String name,
        @Key("Architecture family, for example qwen3.") String family,
        @Key("How queries share keys and values.") Attention attention,
        @Key("Width of the residual stream. | required | 1..10000000") int hiddenSize,
        @Key("Transformer layers. | required | 1..10000") int numLayers,
        @Key("Additional layers for multi-token prediction, used for drafts. | null | 0..1000")
                Optional<Integer> mtpLayers,
        @Key("Query heads. | required | 1..1000000") int numHeads,
        @Key("Key and value heads. | required | 1..1000000") int numKvHeads,
        @Key(
                        "Width of one query head; explicit, because it need not be hidden_size / num_heads. | required | 1..1000000")
                int headDim,
        @Key("Inner width of a dense feed-forward layer, one matrix. | required | 1..100000000") int ffnDim,
        @Key("Matrices of a feed-forward layer: 3 when gated, else 2. | required | 2..3") int mlpMatrices,
        @Key("Whether a second norm precedes the feed-forward layer; false if attention and feed-forward share"
                        + " one norm. | true")
                boolean postAttentionNorm,
        @Key("Whether queries and keys are normalised per head. | false") boolean qkNorm,
        @Key("Tokens in the vocabulary. | required | tokens | 1..100000000") int vocabSize,
        @Key("Routed experts of a mixture-of-experts layer. | null | 1..1000000") Optional<Integer> numExperts,
        @Key("Routed experts per token. | null | 1..1000000") Optional<Integer> expertsPerToken,
        @Key("Inner width of one routed expert. | null | 1..100000000") Optional<Integer> moeFfnDim,
        @Key("Shared experts, which process every token. | null | 0..1000000") Optional<Integer> sharedExperts,
        @Key("Inner width of all shared experts together. | null | 1..100000000") Optional<Integer> sharedFfnDim,
        @Key("Leading layers that are dense in a mixture-of-experts model. | null | 0..100000")
                Optional<Integer> firstDenseLayers,
        @Key("Period of the layers with experts. | null | 1..100000") Optional<Integer> moeLayerStep,
        @Key("Layers that are a mixture of experts, if first_dense_layers and moe_layer_step do not give them. | null"
                        + " | 0..100000")
                Optional<Integer> expertLayers,
        @Key("Width that routed experts work in if it is narrower than hidden_size. | null | 1..10000000")
                Optional<Integer> moeHiddenSize,
        @Key("Rank of the compressed query; 0 if it is not compressed. | null | 0..1000000")
                Optional<Integer> qLoraRank,
        @Key("Rank of the compressed key and value. | null | 1..1000000") Optional<Integer> kvLoraRank,
        @Key("Width of the part of a query head that carries no position. | null | 1..1000000")
                Optional<Integer> qkNopeDim,
        @Key("Width of the part of a query head that carries the position. | null | 1..1000000")
                Optional<Integer> qkRopeDim,
        @Key("Width of a value head if it differs from head_dim. | null | 1..1000000") Optional<Integer> vHeadDim,
        @Key("Weights of one attention layer if they do not follow from its heads: gates, indexers, shared"
                        + " projections. | null | 0..1000000000000")
                Optional<Long> attentionParams,
        @Key("Values that one token leaves in the cache of one full layer, if they are not a key and a value for each"
                        + " head. | null | 1..100000000")
                Optional<Integer> kvValues,
        @Key("Tokens that a windowed layer attends to. | null | tokens | 1..1000000000")
                Optional<Integer> slidingWindow,
        @Key("Which layers are windowed: alternate, or counts of local or chunked and of global layers that repeat, for"
                        + " example 5 local:1 global; every layer when absent. | null")
                Optional<String> swaPattern,
        @Key("Query heads of a windowed layer if they differ. | null | 1..1000000") Optional<Integer> windowNumHeads,
        @Key("Key and value heads of a windowed layer if they differ. | null | 1..1000000")
                Optional<Integer> windowNumKvHeads,
        @Key("Width of a head of a windowed layer if it differs. | null | 1..1000000") Optional<Integer> windowHeadDim,
        @Key(
                        "Tokens (blocks times their length) that sparse attention selects for each query. | null | tokens | 1..1000000000")
                Optional<Integer> indexTopk,
        @Key("Heads of the indexer that selects them. | null | 1..1000000") Optional<Integer> indexHeads,
        @Key("Width of an indexer head: its cache has a byte for each and a scale of four. | null | 1..1000000")
                Optional<Integer> indexDim,
        @Key("Layers with their own indexer; other layers use its selection. All layers if absent."
                        + " | null | 0..100000")
                Optional<Integer> indexLayers,
        @Key("Layers with sparse attention; all layers with attention if absent. | null | 0..100000")
                Optional<Integer> sparseLayers,
        @Key(
                        "Tokens that share one cached entry, layer by layer; 0 for layers with a window alone. Empty when nothing is"
                                + " compressed. | [] | 0..1000000")
                List<Integer> compressRatios,
        @Key("Layers with attention, if not every layer has it. | null | 0..100000") Optional<Integer> attentionLayers,
        @Key("Layers with a feed-forward part, if not every layer has it. | null | 0..100000")
                Optional<Integer> ffnLayers,
        @Key("Layers with a recurrent state: Mamba, linear attention. | null | 0..100000")
                Optional<Integer> stateLayers,
        @Key("Inner width of a layer with a state, all heads together. | null | 1..10000000")
                Optional<Integer> stateDim,
        @Key("Values of the state for each of them. | null | 1..1000000") Optional<Integer> stateSize,
        @Key("Width of the projections that write and read the state, in total. | null | 1..10000000")
                Optional<Integer> stateGroupDim,
        @Key("Weights of one layer with a state if they do not follow from its widths. | null | 0..1000000000000")
                Optional<Long> stateParams,
        @Key("Weights that belong to no layer's attention, feed-forward part or state: learned positions, linear"
                        + " replacements. | null | 0..1000000000000000")
                Optional<Long> otherParams,
        @Key("Storage of weights; embeddings and output head are bf16. | bf16") Precision weights,
        @Key("Storage of routed experts if it differs. | null") Optional<Precision> expertWeights,
        @Key("Storage of groups of layers if it differs: group, precision and share of its weights. | []")
                List<StoredShare> storage,
        @Key("Storage of the KV cache. | bf16") Precision kvCache,
        @Key("Maximum context length. | required | tokens | 1..1000000000") int maxPosition,
        @Key("Whether the output head reuses the embedding. | false") boolean tieEmbeddings,
        @Key("Parameters that the publisher states, or the number in the name. | null | 1e9 | 0.000001..1000000000")
                Optional<Double> publishedParamsB,
        @Key("Parameters computed from the dimensions at import. | null | 1e9 | 0..1000000000")
                Optional<Double> computedParamsB,
        @Key(
                        "Parameters of towers for images, video or sound, which the card does not include. | null | 1e9 | 0..1000000000")
                Optional<Double> towerParamsB,
        @Key("Quality of the sources of the values.") Confidence confidence,
        @Key("Source of the values.") String source,
        @Key("Notes for users of the card. | null") Optional<String> notes,
        @Key("Parts of the model that the card does not describe; every run that uses the card warns about them. | []")
                List<String> unmodelled,
        @Key(
                        "config.json of the model as Hugging Face publishes it, from the working directory: it defines the card, and"
                                + " other keys override single values. | null")
                @Access(Access.Resource.FILE)
                Optional<String> hfConfig) {
    private static final long MAX_QUERY_WIDTH = 100_000_000;

    /** How query heads share key and value heads. */
    public enum Attention {
        MHA, // Every query head has its own keys and values.
        GQA, // Groups of query heads share keys and values.
        MQA, // All query heads share one key and value head.
        MLA, // Keys and values are expanded from one compressed latent vector per token.
        COMPRESSED // Layers keep a window, and entries that represent several earlier tokens.
    }

    /**
     * Checks that the dimensions are consistent.
     *
     * @throws IllegalArgumentException if they are not; the binder turns it into a problem with the location of the
     *     value
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
        CardRule.require(
                (long) numHeads * headDim <= MAX_QUERY_WIDTH,
                "num_heads " + numHeads + " x head_dim " + headDim + " is more than " + MAX_QUERY_WIDTH);
        CardRule.named(name);
        CardRule.ordered("experts_per_token", expertsPerToken, "num_experts", numExperts);
        Optional<Integer> layers = Optional.of(numLayers);
        CardRule.ordered("attention_layers", attentionLayers, "num_layers", layers);
        CardRule.ordered("ffn_layers", ffnLayers, "num_layers", layers);
        CardRule.ordered("state_layers", stateLayers, "num_layers", layers);
        CardRule.ordered("first_dense_layers", firstDenseLayers, "num_layers", layers);
        CardRule.ordered("moe_layer_step", moeLayerStep, "num_layers", layers);
        CardRule.ordered(
                "expert_layers", expertLayers, "the layers with a feed-forward part,", ffnLayers.or(() -> layers));
        CardRule.require(
                numExperts.isPresent() || expertLayers.orElse(0) == 0,
                "expert_layers " + expertLayers.orElse(0) + " needs num_experts");
        CardRule.useless("num_experts", numExperts, "experts_per_token", expertsPerToken);
        CardRule.useless("num_experts", numExperts, "moe_ffn_dim", moeFfnDim);
        CardRule.useless("num_experts", numExperts, "shared_ffn_dim", sharedFfnDim);
        CardRule.useless("num_experts", numExperts, "moe_hidden_size", moeHiddenSize);
        CardRule.useless("sliding_window", slidingWindow, "swa_pattern", swaPattern);
        CardRule.require(
                attention != Attention.MLA || kvLoraRank.isPresent(), "attention=mla needs kv_lora_rank as well");
        CardRule.require(
                stateLayers.orElse(0) == 0 || (stateDim.isPresent() && stateSize.isPresent()),
                "layers with a state (state_layers) need state_dim and state_size as well");
        StoredShare.check(storage);
        compressRatios = List.copyOf(compressRatios);
        storage = List.copyOf(storage);
        unmodelled = List.copyOf(unmodelled);
    }

    /** True if the feed-forward layer has a gate. */
    public boolean gatedMlp() {
        return mlpMatrices == 3;
    }

    public boolean isMixtureOfExperts() {
        return numExperts.isPresent();
    }

    /** True if keys and values are compressed into a latent vector. */
    public boolean isLatentAttention() {
        return attention == Attention.MLA;
    }

    /** Returns the precision of most weights of the routed experts. */
    public Precision expertPrecision() {
        return Collections.max(stored(LayerGroup.EXPERTS), Comparator.comparingDouble(StoredShare::share))
                .precision();
    }

    /** Returns the precisions of a group; their shares add up to 1. */
    public List<StoredShare> stored(LayerGroup group) {
        return StoredShare.of(this, group);
    }

    /** Returns the mean bytes per weight of a group. */
    public double bytes(LayerGroup group) {
        return stored(group).stream()
                .mapToDouble(part -> part.share() * part.precision().bytes())
                .sum();
    }

    /**
     * Returns this model with weights and cache in another precision. A conversion keeps the layers that the card stores
     * wider than its other weights, and replaces narrower ones.
     */
    public ModelCard stored(Precision weights, Precision experts, Precision kv) {
        boolean hasOwnExperts = experts == expertPrecision();
        Map<String, Object> changes = new LinkedHashMap<>();
        changes.put("weights", weights);
        changes.put("expertWeights", Optional.of(hasOwnExperts ? expertWeights.orElse(this.weights) : experts));
        changes.put("kvCache", kv);
        changes.put(
                "storage",
                storage.stream()
                        .filter(part -> part.group() == LayerGroup.EXPERTS
                                ? hasOwnExperts
                                : weights == this.weights
                                        || (part.isWiderThan(this.weights) && part.isWiderThan(weights)))
                        .toList());
        return KeyRecord.with(ModelCard.class, this, changes);
    }

    /** Returns the width of the routed experts' input. */
    public int expertHiddenSize() {
        return moeHiddenSize.orElse(hiddenSize);
    }

    /** Returns the parameters and KV-cache size. */
    public ModelSize size() {
        return ModelSize.of(this);
    }

    /** Returns the warnings of every run that uses the card. */
    public List<String> warnings() {
        return CardWarnings.of(this);
    }
}
