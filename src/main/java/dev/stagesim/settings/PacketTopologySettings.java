package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.util.List;

/** Hosts, switches and cables of the packet network: the section {@code network.packet.topology}. */
public sealed interface PacketTopologySettings
        permits PacketTopologySettings.Star,
                PacketTopologySettings.LeafSpine,
                PacketTopologySettings.FatTree,
                PacketTopologySettings.Rail,
                PacketTopologySettings.Dragonfly,
                PacketTopologySettings.Torus,
                PacketTopologySettings.File {
    /** Every host on one switch. */
    @Variant(value = "star", doc = "Every host on one switch.")
    record Star(
            @Key(doc = "Hosts, which are the NPUs.", unit = "hosts", def = "8", min = "1") int hosts,
            @Key(doc = "Network cards of a host, each in a plane of its own.", def = "1", min = "1") int cards,
            @Key(doc = "Rate of a cable.", unit = "Gbit/s", def = "400", min = "0", above = true) double rate,
            @Key(doc = "Delay of a cable.", unit = "ns", def = "500", min = "0") long delay)
            implements PacketTopologySettings {}

    /** Leaves under spines. */
    @Variant(value = "leaf_spine", doc = "Leaf switches with hosts, every leaf joined with every spine.")
    record LeafSpine(
            @Key(doc = "Hosts, which are the NPUs.", unit = "hosts", def = "16", min = "1") int hosts,
            @Key(doc = "Hosts of a leaf.", unit = "hosts", def = "4", min = "1") int perLeaf,
            @Key(doc = "Spines.", def = "4", min = "1") int spines,
            @Key(doc = "Network cards of a host, each in a plane of its own.", def = "1", min = "1") int cards,
            @Key(
                            doc = "Rate of a cable: host to leaf, leaf to spine.",
                            unit = "Gbit/s",
                            def = "[400, 400]",
                            min = "0",
                            above = true)
                    List<Double> rate,
            @Key(doc = "Delay of the same cables.", unit = "ns", def = "[500, 500]", min = "0") List<Long> delay)
            implements PacketTopologySettings {}

    /** A three-tier fat tree. */
    @Variant(value = "fat_tree", doc = "Pods of edge and aggregation switches with equal ports under a core.")
    record FatTree(
            @Key(doc = "Hosts, filled in from the first port on.", unit = "hosts", def = "16", min = "1") int hosts,
            @Key(doc = "Ports of a switch, even.", def = "4", min = "2") int ports,
            @Key(doc = "Hosts for each uplink of an edge switch: 1 for full bandwidth.", def = "1", min = "1")
                    int oversubscription,
            @Key(doc = "Network cards of a host, each in a plane of its own.", def = "1", min = "1") int cards,
            @Key(
                            doc = "Rate of a cable: host to edge, edge to aggregation, aggregation to core.",
                            unit = "Gbit/s",
                            def = "[400, 400, 400]",
                            min = "0",
                            above = true)
                    List<Double> rate,
            @Key(doc = "Delay of the same cables.", unit = "ns", def = "[500, 500, 500]", min = "0") List<Long> delay)
            implements PacketTopologySettings {}

    /** Nodes of several hosts with a rail for each place in a node. */
    @Variant(
            value = "rail",
            doc = "Rail-optimised: the hosts of a node share a switch, the i-th hosts of all nodes share rail i, and"
                    + " spines join the rails.")
    record Rail(
            @Key(doc = "Hosts, which are the NPUs.", unit = "hosts", def = "16", min = "1") int hosts,
            @Key(doc = "Hosts of a node, and rails.", unit = "hosts", def = "8", min = "1") int perNode,
            @Key(doc = "Spines over the rails.", def = "4", min = "0") int spines,
            @Key(
                            doc = "Rate of a cable: host to node switch, host to rail, rail to spine.",
                            unit = "Gbit/s",
                            def = "[2400, 400, 400]",
                            min = "0",
                            above = true)
                    List<Double> rate,
            @Key(doc = "Delay of the same cables.", unit = "ns", def = "[100, 500, 500]", min = "0") List<Long> delay)
            implements PacketTopologySettings {}

    /** Groups of routers. */
    @Variant(
            value = "dragonfly",
            doc = "Groups of fully joined routers with hosts, every pair of groups joined by one global cable.")
    record Dragonfly(
            @Key(doc = "Groups; at most routers x globals + 1.", def = "3", min = "1") int groups,
            @Key(doc = "Routers of a group.", def = "2", min = "1") int routers,
            @Key(doc = "Hosts of a router.", unit = "hosts", def = "2", min = "1") int perRouter,
            @Key(doc = "Global cables of a router.", def = "1", min = "1") int globals,
            @Key(doc = "Network cards of a host, each in a plane of its own.", def = "1", min = "1") int cards,
            @Key(
                            doc = "Rate of a cable: host to router, within a group, between groups.",
                            unit = "Gbit/s",
                            def = "[400, 400, 400]",
                            min = "0",
                            above = true)
                    List<Double> rate,
            @Key(doc = "Delay of the same cables.", unit = "ns", def = "[500, 500, 2000]", min = "0") List<Long> delay)
            implements PacketTopologySettings {}

    /** A torus of switches. */
    @Variant(value = "torus", doc = "A torus of switches with hosts on each.")
    record Torus(
            @Key(doc = "Switches along each dimension.", def = "[4, 4]", min = "1") List<Integer> sizes,
            @Key(doc = "Hosts of a switch.", unit = "hosts", def = "1", min = "1") int perSwitch,
            @Key(doc = "Network cards of a host, each in a plane of its own.", def = "1", min = "1") int cards,
            @Key(
                            doc = "Rate of a cable: host to switch, switch to switch.",
                            unit = "Gbit/s",
                            def = "[400, 400]",
                            min = "0",
                            above = true)
                    List<Double> rate,
            @Key(doc = "Delay of the same cables.", unit = "ns", def = "[100, 500]", min = "0") List<Long> delay)
            implements PacketTopologySettings {}

    /** A topology file of the reference's format. */
    @Variant(value = "file", doc = "Said in a physical topology file of ASTRA-sim's ns-3 network.")
    record File(@Key(doc = "The file.") Path file) implements PacketTopologySettings {}
}
