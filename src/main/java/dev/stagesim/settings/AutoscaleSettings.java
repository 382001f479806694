package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** How the number of nodes follows the load: the section {@code autoscale}. */
public record AutoscaleSettings(
        @Key(
                        doc = "Whether phases have as many nodes as they need; else all have what the busiest needs.",
                        def = "true")
                boolean enabled,
        @Key(doc = "Fewest nodes.", unit = "nodes", def = "1", min = "1") int minNodes,
        @Key(doc = "Most nodes.", unit = "nodes", def = "64", min = "1", max = "100000") int maxNodes,
        @Key(
                        doc = "Share of what a node can carry that it is to carry.",
                        def = "0.7",
                        min = "0",
                        max = "1",
                        above = true)
                double targetUtilization) {}
