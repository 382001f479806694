package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.Key;
import java.util.Optional;

/** The section {@code cluster.pools.NAME.experts}. */
public record ExpertSettings(
        @Key(
                        "Instances that share the routed experts. Each of their devices holds some of them whole, and tokens travel"
                                + " to theirs. | 1 | 1..4096")
                int instances,
        @Key("Copies of experts in a layer besides one of each. | 0 | 0..100000") int redundant,
        @Key("How often each expert is chosen. | { kind = zipf }") ExpertLoad load,
        @Key("Which devices hold which. | { kind = in_order }") ExpertPlacement placement,
        @Key("New placements in the run, by what was chosen since the last one; null for none. | null")
                Optional<Rebalancing> rebalancing,
        @Key(
                        "Whether they run every step together, as engines of vLLM with attention in data parallel: the slowest sets the"
                                + " pace, and one without requests takes part. | false")
                boolean lockstep) {
    /** The section {@code rebalancing}. */
    public record Rebalancing(
            @Key("Time between two. | 60 | s | 0.1..1000000000") double intervalS,
            @Key("Whether the instances pause while weights move; else they continue as before until all have moved."
                            + " | true")
                    boolean stall) {}
}
