package dev.stagesim.network;

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
    @Variant("star | Every host on one switch.")
    record Star(
            @Key("Hosts; each is an NPU. | 8 | hosts | 1..1000000") int hosts,
            @Key("Network interfaces per host, each in a separate plane. | 1 | 1..1000000") int cards,
            @Key("Rate of a cable. | 400 | Gbit/s | 0.000001..1000000000") double rate,
            @Key("Delay of a cable. | 500 | ns | 0..1000000000000") long delay)
            implements PacketTopologySettings {}

    @Variant("leaf_spine | Leaf switches with hosts; every leaf connects to every spine.")
    record LeafSpine(
            @Key("Hosts; each is an NPU. | 16 | hosts | 1..1000000") int hosts,
            @Key("Hosts per leaf. | 4 | hosts | 1..1000000") int perLeaf,
            @Key("Spines. | 4 | 1..1000000") int spines,
            @Key("Network interfaces per host, each in a separate plane. | 1 | 1..1000000") int cards,
            @Key("Rate of a cable: host to leaf, leaf to spine. | [400, 400] | Gbit/s | 0.000001..1000000000")
                    List<Double> rate,
            @Key("Delay of the same cables. | [500, 500] | ns | 0..1000000000000") List<Long> delay)
            implements PacketTopologySettings {}

    @Variant("fat_tree | Pods of edge and aggregation switches with equal ports under a core.")
    record FatTree(
            @Key("Hosts, assigned from the first port. | 16 | hosts | 1..1000000") int hosts,
            @Key("Ports of a switch, even. | 4 | 2..1000000") int ports,
            @Key("Hosts for each uplink of an edge switch: 1 for full bandwidth. | 1 | 1..1000000")
                    int oversubscription,
            @Key("Network interfaces per host, each in a separate plane. | 1 | 1..1000000") int cards,
            @Key("Rate of a cable: host to edge, edge to aggregation, aggregation to core. | [400, 400, 400] | Gbit/s"
                            + " | 0.000001..1000000000")
                    List<Double> rate,
            @Key("Delay of the same cables. | [500, 500, 500] | ns | 0..1000000000000") List<Long> delay)
            implements PacketTopologySettings {}

    @Variant("rail | Rail-optimised: the hosts of a node share a switch, the i-th hosts of all nodes share "
            + "rail i, and spines connect the rails.")
    record Rail(
            @Key("Hosts; each is an NPU. | 16 | hosts | 1..1000000") int hosts,
            @Key("Hosts per node, and number of rails. | 8 | hosts | 1..1000000") int perNode,
            @Key("Spines over the rails. | 4 | 0..1000000") int spines,
            @Key("Rate of a cable: host to node switch, host to rail, rail to spine. | [2400, 400, 400] | Gbit/s |"
                            + " 0.000001..1000000000")
                    List<Double> rate,
            @Key("Delay of the same cables. | [100, 500, 500] | ns | 0..1000000000000") List<Long> delay)
            implements PacketTopologySettings {}

    @Variant("dragonfly | Groups of fully connected routers with hosts; one global cable connects each pair "
            + "of groups.")
    record Dragonfly(
            @Key("Groups; at most routers x globals + 1. | 3 | 1..1000000") int groups,
            @Key("Routers of a group. | 2 | 1..1000000") int routers,
            @Key("Hosts per router. | 2 | hosts | 1..1000000") int perRouter,
            @Key("Global cables per router. | 1 | 1..1000000") int globals,
            @Key("Network interfaces per host, each in a separate plane. | 1 | 1..1000000") int cards,
            @Key(
                            "Rate of a cable: host to router, within a group, between groups. | [400, 400, 400] | Gbit/s | 0.000001..1000000000")
                    List<Double> rate,
            @Key("Delay of the same cables. | [500, 500, 2000] | ns | 0..1000000000000") List<Long> delay)
            implements PacketTopologySettings {}

    @Variant("torus | A torus of switches, each with hosts.")
    record Torus(
            @Key("Switches along each dimension. | [4, 4] | 1..1000000") List<Integer> sizes,
            @Key("Hosts per switch. | 1 | hosts | 1..1000000") int perSwitch,
            @Key("Network interfaces per host, each in a separate plane. | 1 | 1..1000000") int cards,
            @Key("Rate of a cable: host to switch, switch to switch. | [400, 400] | Gbit/s | 0.000001..1000000000")
                    List<Double> rate,
            @Key("Delay of the same cables. | [100, 500] | ns | 0..1000000000000") List<Long> delay)
            implements PacketTopologySettings {}

    @Variant("file | Read from a physical topology file of ASTRA-sim's ns-3 network.")
    record File(@Key("The file.") Path file) implements PacketTopologySettings {}
}
