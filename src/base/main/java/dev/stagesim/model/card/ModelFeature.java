package dev.stagesim.model.card;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Features of model cards that simple transformer models do not describe. A consumer of cards declares the features that
 * it models; every run warns about the others.
 */
public enum ModelFeature {
    WINDOWS("windows of attention (sliding_window): every layer attends to the whole sequence"),
    WINDOW_HEADS("heads of windowed layers (window_num_heads and others): every layer has the same heads"),
    SPARSE_ATTENTION(
            "sparse attention (index_topk): every query attends to the whole sequence, and there is no indexer"),
    COMPRESSED_CONTEXT("compressed context (compress_ratios): every layer attends to every token"),
    LAYERS_WITHOUT_ATTENTION(
            "layers without attention and their states (state_layers, attention_layers): every layer has attention"),
    LAYERS_WITHOUT_FEED_FORWARD("layers without a feed-forward part (ffn_layers): every layer has one"),
    EXPERT_LAYERS("layers with experts (expert_layers): first_dense_layers and moe_layer_step give them"),
    LATENT_EXPERTS("latent experts (moe_hidden_size): experts work in the whole hidden_size"),
    ATTENTION_WEIGHTS("weights of attention that do not follow from its heads (attention_params)"),
    OTHER_WEIGHTS("weights that belong to no layer (other_params)"),
    STORAGE("storage of weights in other than 16 bits (weights, expert_weights, storage): all weights have one width");

    private final String effect;

    ModelFeature(String effect) {
        this.effect = effect;
    }

    private boolean isIn(ModelCard card) {
        return switch (this) {
            case WINDOWS -> card.window().slidingWindow().isPresent();
            case WINDOW_HEADS -> card.window().slidingWindow().isPresent() && ModelSize.hasOwnWindowShape(card);
            case SPARSE_ATTENTION -> card.sparse().indexTopk().isPresent();
            case COMPRESSED_CONTEXT ->
                !card.sparse().compressRatios().isEmpty() || card.shape().attention() == ModelCard.Attention.COMPRESSED;
            case LAYERS_WITHOUT_ATTENTION ->
                ModelSize.attentionLayers(card) < card.shape().numLayers();
            case LAYERS_WITHOUT_FEED_FORWARD ->
                ModelSize.ffnLayers(card) < card.shape().numLayers();
            case EXPERT_LAYERS ->
                card.isMixtureOfExperts() && card.experts().expertLayers().isPresent();
            case LATENT_EXPERTS ->
                card.isMixtureOfExperts()
                        && card.expertHiddenSize() != card.shape().hiddenSize();
            case ATTENTION_WEIGHTS -> card.latent().attentionParams().isPresent();
            case OTHER_WEIGHTS -> card.hybrid().otherParams().orElse(0L) > 0;
            case STORAGE ->
                Arrays.stream(LayerGroup.values())
                        .flatMap(group -> card.stored(group).stream())
                        .anyMatch(part -> part.precision().bytes() != 2);
        };
    }

    /** Returns the features of a card that are not in {@code modelled}, as text. */
    public static List<String> unmodelled(ModelCard card, Set<ModelFeature> modelled) {
        return Stream.of(values())
                .filter(feature -> !modelled.contains(feature) && feature.isIn(card))
                .map(feature -> feature.effect)
                .toList();
    }

    /** Returns the warnings of a run about {@link #unmodelled}. */
    public static List<String> warnings(ModelCard card, Set<ModelFeature> modelled) {
        return unmodelled(card, modelled).stream()
                .map(effect -> "model " + card.name() + ": not modelled: " + effect)
                .toList();
    }
}
