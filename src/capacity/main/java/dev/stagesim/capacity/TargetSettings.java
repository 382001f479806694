package dev.stagesim.capacity;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.capacity.AcceleratorCard;
import java.util.Optional;

/** Machines that can be rented or owned: nodes of equal accelerators, with price and power. */
public record TargetSettings(
        @Key("Display name.") String name,
        @Key("The accelerator.") HardwareCard device,
        @Key("Accelerators of a node. | 8 | devices | 1..1024") int acceleratorsPerNode,
        @Key("Number of nodes without autoscaling. | 1 | nodes | 1..1000000") int numNodes,
        @Key("Cost of a node.") Cost cost,
        @Key("Power of a node.") Power power,
        @Key("Links between accelerators, for a simulated training step.") Links links,
        @Key("Coefficients of the semi-empirical model.") AcceleratorCard card,
        @Key("Source of the values. | null") Optional<String> source) {
    public record Cost(
            @Key("Price of a node; null for the accelerator card's typical price times accelerators. | null | USD/h |"
                            + " 0..1000000")
                    Optional<Double> hourlyUsd,
            @Key("Lowest price; null for the card's. | null | USD/h | 0..1000000") Optional<Double> hourlyUsdLow,
            @Key("Highest price; null for the card's. | null | USD/h | 0..1000000") Optional<Double> hourlyUsdHigh,
            @Key("Whether the price includes electricity, as rental prices do; if false, grid.usd_per_kwh is "
                            + "added. | true")
                    boolean includesPower) {}

    /** Links between accelerators. */
    @FormerKeys({
        "node_gbs=intra_node_gbs",
        "between_gbs=inter_node_gbs",
        "node_latency_ns=intra_node_latency_ns",
        "between_latency_ns=inter_node_latency_ns"
    })
    public record Links(
            @Key("Bandwidth of an accelerator within its node, per direction; null for the card's scale-up link, "
                            + "or for its host link if the scale-up link does not span a node. | null | GB/s | "
                            + "0.000001..1000000000")
                    Optional<Double> intraNodeGbs,
            @Key("Bandwidth of an accelerator to other nodes, per direction; null for the card's network. | null "
                            + "| GB/s | 0.000001..1000000000")
                    Optional<Double> interNodeGbs,
            @Key("Latency of a link within a node. | 250 | ns | 0..1000000000") double intraNodeLatencyNs,
            @Key("Latency of a link between nodes. | 1000 | ns | 0..1000000000") double interNodeLatencyNs) {}

    public record Power(
            @Key("Power of a node under full load; null for 1.25 times the board power of the accelerators. | "
                            + "null | W | 0.000001..1000000000")
                    Optional<Double> nodeWatts,
            @Key("Idle power as a share of the power under full load. | 0.35 | 0..1") double idleFraction,
            @Key("Power usage effectiveness: power of the data centre divided by the power of its machines. | "
                            + "1.25 | 1..1000")
                    double pue) {}
}
