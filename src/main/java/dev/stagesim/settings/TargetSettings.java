package dev.stagesim.settings;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Key;
import java.util.Optional;

/** Machines that can be rented or owned: nodes of equal accelerators, with price and power. */
public record TargetSettings(
        @Key(doc = "Name for people.") String name,
        @Key(doc = "The accelerator.") HardwareCard device,
        @Key(doc = "Accelerators of a node.", unit = "devices", def = "8", min = "1", max = "1024")
                int acceleratorsPerNode,
        @Key(doc = "Nodes there are without autoscaling.", unit = "nodes", def = "1", min = "1") int numNodes,
        @Key(doc = "What an hour of a node costs.") Cost cost,
        @Key(doc = "Power that a node draws.") Power power,
        @Key(doc = "Links between accelerators, for a simulated step of training.") Links links,
        @Key(doc = "Coefficients of the semi-empirical model.") CoefficientSettings card,
        @Key(doc = "Where the figures come from.", def = "null") Optional<String> source) {
    /** Price of a node. */
    public record Cost(
            @Key(
                            doc = "Price of a node; null for the accelerator card's typical price times accelerators.",
                            unit = "USD/h",
                            def = "null",
                            min = "0")
                    Optional<Double> hourlyUsd,
            @Key(doc = "Lowest price; null for the card's.", unit = "USD/h", def = "null", min = "0")
                    Optional<Double> hourlyUsdLow,
            @Key(doc = "Highest price; null for the card's.", unit = "USD/h", def = "null", min = "0")
                    Optional<Double> hourlyUsdHigh,
            @Key(
                            doc =
                                    "Whether the price includes electricity, as rents do; else grid.usd_per_kwh is added.",
                            def = "true")
                    boolean includesPower) {}

    /** Links between accelerators. */
    public record Links(
            @Key(
                            doc =
                                    "Bandwidth of an accelerator within its node, each way; null for the card's scale-up link,"
                                            + " or its host link where that does not span a node.",
                            unit = "GB/s",
                            def = "null",
                            min = "0",
                            above = true)
                    Optional<Double> nodeGbs,
            @Key(
                            doc = "Bandwidth of an accelerator to other nodes, each way; null for the card's network.",
                            unit = "GB/s",
                            def = "null",
                            min = "0",
                            above = true)
                    Optional<Double> betweenGbs,
            @Key(doc = "Latency of a link within a node.", unit = "ns", def = "250", min = "0") double nodeLatencyNs,
            @Key(doc = "Latency of a link between nodes.", unit = "ns", def = "1000", min = "0")
                    double betweenLatencyNs) {}

    /** Power of a node. */
    public record Power(
            @Key(
                            doc =
                                    "Power of a node under full load; null for the accelerators' board power and 25 % for the"
                                            + " rest of the node.",
                            unit = "W",
                            def = "null",
                            min = "0",
                            above = true)
                    Optional<Double> nodeWatts,
            @Key(doc = "Share of it that is drawn when idle.", def = "0.35", min = "0", max = "1") double idleFraction,
            @Key(doc = "Power of the whole data centre over that of its machines.", def = "1.25", min = "1")
                    double pue) {}
}
