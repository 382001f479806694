package dev.stagesim.model.card;

import dev.stagesim.model.Key;
import java.util.Optional;

/** Layers that attend to the last tokens alone. */
public record WindowAttention(
        @Key("Tokens that a windowed layer attends to. | null | tokens | 1..1000000000")
                Optional<Integer> slidingWindow,
        @Key("Which layers are windowed: alternate, or counts of local or chunked and of global layers that repeat, for"
                        + " example 5 local:1 global; every layer when absent. | null")
                Optional<String> swaPattern,
        @Key("Query heads of a windowed layer if they differ. | null | 1..1000000") Optional<Integer> windowNumHeads,
        @Key("Key and value heads of a windowed layer if they differ. | null | 1..1000000")
                Optional<Integer> windowNumKvHeads,
        @Key("Width of a head of a windowed layer if it differs. | null | 1..1000000")
                Optional<Integer> windowHeadDim) {
    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the values contradict each other
     */
    public WindowAttention {
        CardRule.useless("sliding_window", slidingWindow, "swa_pattern", swaPattern);
    }
}
