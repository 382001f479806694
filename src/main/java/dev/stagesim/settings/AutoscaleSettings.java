package dev.stagesim.settings;

import dev.stagesim.model.CardRule;
import dev.stagesim.model.Key;
import java.util.Optional;

/** How the number of nodes follows the load: the section {@code autoscale}. */
public record AutoscaleSettings(
        @Key("Whether phases have as many nodes as they need; else all have what the busiest needs. | true")
                boolean enabled,
        @Key("Minimum number of nodes. | 1 | nodes | 1..1000000") int minNodes,
        @Key("Maximum number of nodes. | 64 | nodes | 1..100000") int maxNodes,
        @Key("Share of what a node can carry that it is to carry. | 0.7 | 0.000001..1") double targetUtilization) {
    /**
     * Checks that the numbers of nodes are in order.
     *
     * @throws IllegalArgumentException if they are not; the binder turns it into a problem with the section's place
     */
    public AutoscaleSettings {
        CardRule.ordered("min_nodes", Optional.of(minNodes), "max_nodes", Optional.of(maxNodes));
    }
}
