package dev.stagesim.model.card;

import dev.stagesim.model.Key;
import java.util.Optional;

/** Experts of the feed-forward layers; empty for a dense model. */
public record ExpertShape(
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
                Optional<Integer> moeHiddenSize) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the values contradict each other
     */
    public ExpertShape {
        CardRule.require(
                numExperts.isEmpty() || (expertsPerToken.isPresent() && moeFfnDim.isPresent()),
                "a mixture of experts (num_experts) needs experts_per_token and moe_ffn_dim as well");
        CardRule.ordered("experts_per_token", expertsPerToken, "num_experts", numExperts);
        CardRule.require(
                numExperts.isPresent() || expertLayers.orElse(0) == 0,
                "expert_layers " + expertLayers.orElse(0) + " needs num_experts");
        CardRule.useless("num_experts", numExperts, "experts_per_token", expertsPerToken);
        CardRule.useless("num_experts", numExperts, "moe_ffn_dim", moeFfnDim);
        CardRule.useless("num_experts", numExperts, "shared_ffn_dim", sharedFfnDim);
        CardRule.useless("num_experts", numExperts, "moe_hidden_size", moeHiddenSize);
    }
}
