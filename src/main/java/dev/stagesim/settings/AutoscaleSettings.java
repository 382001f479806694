package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** How the number of nodes follows the load: the section {@code autoscale}. */
public record AutoscaleSettings(
        @Key("Whether phases have as many nodes as they need; else all have what the busiest needs. | true")
                boolean enabled,
        @Key("Minimum number of nodes. | 1 | nodes | 1..") int minNodes,
        @Key("Maximum number of nodes. | 64 | nodes | 1..100000") int maxNodes,
        @Key("Share of what a node can carry that it is to carry. | 0.7 | >0..1") double targetUtilization) {}
