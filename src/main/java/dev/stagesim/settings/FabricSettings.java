package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.List;

/** What is connected with what: the section {@code network.topology}. */
public sealed interface FabricSettings
        permits FabricSettings.Dims,
                FabricSettings.FatTree,
                FabricSettings.Dragonfly,
                FabricSettings.Graph,
                FabricSettings.File {
    /** A product of simple networks. */
    @Variant(
            value = "dims",
            doc = "A product of simple networks, one for each dimension, the fastest varying first: rings make a torus,"
                    + " meshes a mesh.")
    record Dims(
            @Key(doc = "Network of each dimension.", def = "[switch]") List<Block> blocks,
            @Key(doc = "NPUs in each dimension.", unit = "NPUs", def = "[8]", min = "2") List<Integer> npusCount,
            @Key(
                            doc = "Bandwidth of a link in each dimension, each way.",
                            unit = "GB/s",
                            def = "[50]",
                            min = "0",
                            above = true)
                    List<Double> bandwidth,
            @Key(doc = "Latency of a link in each dimension.", unit = "ns", def = "[500]", min = "0")
                    List<Double> latency,
            @Key(doc = "Bytes of a GB in bandwidth.", def = "decimal") Gigabyte gigabyte)
            implements FabricSettings {}

    /** A three-tier fat tree of equal switches. */
    @Variant(
            value = "fat_tree",
            doc = "A fat tree of switches with equal ports: pods of edge and aggregation switches under a core.")
    record FatTree(
            @Key(doc = "Ports of a switch, even; up to ports^3/4 NPUs.", def = "8", min = "2") int ports,
            @Key(doc = "NPUs, filled in from the first port of the first switch.", unit = "NPUs", min = "2")
                    int npusCount,
            @Key(doc = "NPUs for each uplink of an edge switch: 1 for full bandwidth.", def = "1", min = "1")
                    int oversubscription,
            @Key(
                            doc =
                                    "Bandwidth of a link, each way: NPU to edge, edge to aggregation, aggregation to core.",
                            unit = "GB/s",
                            def = "[50, 50, 50]",
                            min = "0",
                            above = true)
                    List<Double> bandwidth,
            @Key(doc = "Latency of a link in the same tiers.", unit = "ns", def = "[500, 500, 500]", min = "0")
                    List<Double> latency,
            @Key(doc = "Bytes of a GB in bandwidth.", def = "decimal") Gigabyte gigabyte)
            implements FabricSettings {}

    /** Groups of routers, every group linked with every other. */
    @Variant(
            value = "dragonfly",
            doc = "A dragonfly: groups of fully connected routers, every pair of groups joined by one global link.")
    record Dragonfly(
            @Key(doc = "Groups; at most routers x globals + 1.", def = "9", min = "2") int groups,
            @Key(doc = "Routers of a group.", def = "4", min = "1") int routers,
            @Key(doc = "NPUs of a router.", unit = "NPUs", def = "2", min = "1") int npus,
            @Key(doc = "Global links of a router.", def = "2", min = "1") int globals,
            @Key(
                            doc = "Bandwidth of a link, each way: NPU to router, within a group, between groups.",
                            unit = "GB/s",
                            def = "[50, 50, 50]",
                            min = "0",
                            above = true)
                    List<Double> bandwidth,
            @Key(doc = "Latency of a link of the same sorts.", unit = "ns", def = "[500, 500, 500]", min = "0")
                    List<Double> latency,
            @Key(doc = "Bytes of a GB in bandwidth.", def = "decimal") Gigabyte gigabyte)
            implements FabricSettings {}

    /** An arbitrary graph. */
    @Variant(value = "graph", doc = "Any graph, from a file of links.")
    record Graph(@Key(doc = "The file (YAML or JSON).") Path file) implements FabricSettings {}

    /** A network file of the reference's format. */
    @Variant(value = "file", doc = "Said in a network file of ASTRA-sim (YAML).")
    record File(@Key(doc = "The file.") Path file) implements FabricSettings {}

    /** Networks of one dimension. */
    enum Block {
        /** Neighbours linked both ways, around. */
        RING,
        /** A link for every ordered pair. */
        FULLY_CONNECTED,
        /** One switch in the middle. */
        SWITCH,
        /** Neighbours linked both ways, not around. */
        MESH
    }

    /** What a GB is. */
    enum Gigabyte {
        /** 10^9 bytes, as vendors publish link rates. */
        DECIMAL,
        /** 2^30 bytes, as the reference's network files mean it. */
        BINARY
    }
}
