package dev.stagesim.model.card;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Unwrapped;
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
        @Unwrapped TransformerShape shape,
        @Unwrapped ExpertShape experts,
        @Unwrapped LatentAttention latent,
        @Unwrapped WindowAttention window,
        @Unwrapped SparseAttention sparse,
        @Unwrapped HybridLayers hybrid,
        @Unwrapped StorageFormats formats,
        @Key("Maximum context length. | required | tokens | 1..1000000000") int maxPosition,
        @Key("Whether the output head reuses the embedding. | false") boolean tieEmbeddings,
        @Unwrapped CardOrigin origin) {
    /** How query heads share key and value heads. */
    public enum Attention {
        MHA, // Every query head has its own keys and values.
        GQA, // Groups of query heads share keys and values.
        MQA, // All query heads share one key and value head.
        MLA, // Keys and values are expanded from one compressed latent vector per token.
        COMPRESSED // Layers keep a window, and entries that represent several earlier tokens.
    }

    /**
     * Checks that the groups are consistent with each other.
     *
     * @throws IllegalArgumentException if they are not; the binder turns it into a problem with the location of the
     *     value
     */
    public ModelCard {
        CardRule.named(name);
        Optional<Integer> layers = Optional.of(shape.numLayers());
        CardRule.ordered("attention_layers", hybrid.attentionLayers(), "num_layers", layers);
        CardRule.ordered("ffn_layers", hybrid.ffnLayers(), "num_layers", layers);
        CardRule.ordered("state_layers", hybrid.stateLayers(), "num_layers", layers);
        CardRule.ordered("first_dense_layers", experts.firstDenseLayers(), "num_layers", layers);
        CardRule.ordered("moe_layer_step", experts.moeLayerStep(), "num_layers", layers);
        CardRule.ordered(
                "expert_layers",
                experts.expertLayers(),
                "the layers with a feed-forward part,",
                hybrid.ffnLayers().or(() -> layers));
        CardRule.require(
                shape.attention() != Attention.MLA || latent.kvLoraRank().isPresent(),
                "attention=mla needs kv_lora_rank as well");
    }

    /** True if the feed-forward layer has a gate. */
    public boolean gatedMlp() {
        return shape.mlpMatrices() == 3;
    }

    public boolean isMixtureOfExperts() {
        return experts.numExperts().isPresent();
    }

    /** True if keys and values are compressed into a latent vector. */
    public boolean isLatentAttention() {
        return shape.attention() == Attention.MLA;
    }

    /** Returns the precision of most weights of the routed experts. */
    public Precision expertPrecision() {
        return Collections.max(stored(LayerGroup.EXPERTS), Comparator.comparingDouble(StoredShare::share))
                .precision();
    }

    /** Returns the bytes per value of the KV cache, including scales. */
    public double cacheBytes() {
        return formats.kvCache().cachedBytes(shape.headDim());
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
        changes.put(
                "expertWeights",
                Optional.of(hasOwnExperts ? formats.expertWeights().orElse(this.formats.weights()) : experts));
        changes.put("kvCache", kv);
        changes.put(
                "storage",
                formats.storage().stream()
                        .filter(part -> part.group() == LayerGroup.EXPERTS
                                ? hasOwnExperts
                                : weights == this.formats.weights()
                                        || (part.isWiderThan(this.formats.weights()) && part.isWiderThan(weights)))
                        .toList());
        return KeyRecord.with(ModelCard.class, this, changes);
    }

    /** Returns the width of the routed experts' input. */
    public int expertHiddenSize() {
        return experts.moeHiddenSize().orElse(shape.hiddenSize());
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
