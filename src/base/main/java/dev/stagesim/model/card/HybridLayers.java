package dev.stagesim.model.card;

import dev.stagesim.model.Key;
import java.util.Optional;

/** Layers without attention or feed-forward part, layers with a recurrent state, and weights outside the layers. */
public record HybridLayers(
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
                Optional<Long> otherParams) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the values contradict each other
     */
    public HybridLayers {
        CardRule.require(
                stateLayers.orElse(0) == 0 || (stateDim.isPresent() && stateSize.isPresent()),
                "layers with a state (state_layers) need state_dim and state_size as well");
    }
}
