package dev.stagesim.capacity;

import dev.stagesim.model.Key;
import dev.stagesim.model.card.CardRule;
import java.util.Optional;

/** How the number of nodes follows the load: the section {@code autoscale}. */
public record AutoscaleSettings(
        @Key("Whether the number of nodes changes from phase to phase; if false, all phases have the nodes of "
                        + "the busiest one. | true")
                boolean enabled,
        @Key("Minimum number of nodes. | 1 | nodes | 1..1000000") int minNodes,
        @Key("Maximum number of nodes. | 64 | nodes | 1..100000") int maxNodes,
        @Key("Target utilisation of a node. | 0.7 | 0.000001..1") double targetUtilization) {
    /**
     * Checks that the minimum is not above the maximum.
     *
     * @throws IllegalArgumentException if it is; the binder adds the location of the section
     */
    public AutoscaleSettings {
        CardRule.ordered("min_nodes", Optional.of(minNodes), "max_nodes", Optional.of(maxNodes));
    }
}
