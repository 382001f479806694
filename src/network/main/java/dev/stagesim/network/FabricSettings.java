package dev.stagesim.network;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.network.Topology;
import java.nio.file.Path;
import java.util.List;

/** Topology of the analytical network: the section {@code network.topology}. */
public sealed interface FabricSettings
        permits FabricSettings.Dims,
                FabricSettings.FatTree,
                FabricSettings.Dragonfly,
                FabricSettings.Graph,
                FabricSettings.File {
    @Variant("dims | A product of simple networks, one for each dimension, the fastest varying first: rings make a"
            + " torus, meshes a mesh.")
    record Dims(
            @Key("Network of each dimension. | [switch]") List<Topology> blocks,
            @Key(
                            "NPUs in each dimension; 0 for the last one: as many as the workload needs. | [8] | NPUs | 0..1000000000")
                    List<Integer> npusCount,
            @Key("Bandwidth of a link in each dimension, each way. | [50] | GB/s | 0.000001..1000000000")
                    List<Double> bandwidth,
            @Key("Latency of a link in each dimension. | [500] | ns | 0..1000000000000000") List<Double> latency,
            @Key("Bytes of a GB in bandwidth. | decimal") Gigabyte gigabyte)
            implements FabricSettings {}

    @Variant("fat_tree | A fat tree of switches with equal ports: pods of edge and aggregation switches under a"
            + " core.")
    record FatTree(
            @Key("Ports of a switch, even; up to ports^3/4 NPUs. | 8 | 2..65536") int ports,
            @Key("NPUs, filled in from the first port of the first switch. | required | NPUs | 2..1000000000")
                    int npusCount,
            @Key("NPUs for each uplink of an edge switch: 1 for full bandwidth. | 1 | 1..65536") int oversubscription,
            @Key("Bandwidth of a link, each way: NPU to edge, edge to aggregation, aggregation to core. | [50, 50,"
                            + " 50] | GB/s | 0.000001..1000000000")
                    List<Double> bandwidth,
            @Key("Latency of a link in the same tiers. | [500, 500, 500] | ns | 0..1000000000000000")
                    List<Double> latency,
            @Key("Bytes of a GB in bandwidth. | decimal") Gigabyte gigabyte)
            implements FabricSettings {}

    @Variant("dragonfly | A dragonfly: groups of fully connected routers, every pair of groups joined by one global"
            + " link.")
    record Dragonfly(
            @Key("Groups; at most routers x globals + 1. | 9 | 2..1000000000") int groups,
            @Key("Routers of a group. | 4 | 1..1000000000") int routers,
            @Key("NPUs of a router. | 2 | NPUs | 1..1000000000") int npus,
            @Key("Global links of a router. | 2 | 1..1000000000") int globals,
            @Key("Bandwidth of a link, each way: NPU to router, within a group, between groups. | [50, 50, 50] | GB/s"
                            + " | 0.000001..1000000000")
                    List<Double> bandwidth,
            @Key("Latency of a link of the same kinds. | [500, 500, 500] | ns | 0..1000000000000000")
                    List<Double> latency,
            @Key("Bytes of a GB in bandwidth. | decimal") Gigabyte gigabyte)
            implements FabricSettings {}

    @Variant("graph | An arbitrary graph, read from a file of links.")
    record Graph(@Key("The file (YAML or JSON).") Path file) implements FabricSettings {}

    @Variant("file | Read from a network file of ASTRA-sim (YAML).")
    record File(@Key("The file.") Path file) implements FabricSettings {}

    /** Definition of a gigabyte. */
    enum Gigabyte {
        DECIMAL, // 10^9 bytes, as vendors publish link rates.
        BINARY // 2^30 bytes, as in network files of the reference.
    }
}
