package dev.stagesim.sim.network.packet.topology;

import dev.stagesim.sim.network.packet.topology.PacketTopology.Cable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Generators of topologies. Hosts have the lowest numbers; switches follow, from the hosts upwards.
 *
 * <p>With several network cards per host there are as many separate, identical planes, unless a generator documents
 * otherwise.
 */
public final class PacketTopologies {
    /**
     * A kind of cable.
     *
     * @param rate bits per second
     * @param delay ns
     */
    public record Tier(long rate, long delay) {}

    private PacketTopologies() {}

    /** A star: every host on one switch per plane. */
    public static PacketTopology star(int hosts, int cards, Tier tier) {
        Builder builder = new Builder(hosts);
        for (int card = 0; card < cards; card++) {
            int hub = builder.newSwitch();
            for (int host = 0; host < hosts; host++) {
                builder.join(hub, host, tier);
            }
        }
        return builder.build();
    }

    /** A leaf-spine: leaf switches with {@code perLeaf} hosts each, every leaf on every spine. */
    public static PacketTopology leafSpine(int hosts, int perLeaf, int spines, int cards, Tier edge, Tier up) {
        Builder builder = new Builder(hosts);
        for (int card = 0; card < cards; card++) {
            List<Integer> leaves = leaves(builder, hosts, perLeaf, edge);
            joinAll(builder, leaves, builder.newSwitches(spines), up);
        }
        return builder.build();
    }

    private static List<Integer> leaves(Builder builder, int hosts, int perLeaf, Tier edge) {
        List<Integer> leaves = builder.newSwitches((hosts + perLeaf - 1) / perLeaf);
        for (int host = 0; host < hosts; host++) {
            builder.join(leaves.get(host / perLeaf), host, edge);
        }
        return leaves;
    }

    private static void joinAll(Builder builder, List<Integer> lower, List<Integer> upper, Tier tier) {
        for (int low : lower) {
            for (int high : upper) {
                builder.join(low, high, tier);
            }
        }
    }

    /** Maximum number of hosts of a fat tree of switches with {@code ports} ports. */
    public static long fatTreeCapacity(int ports, int oversubscription) {
        int uplinks = ports / (oversubscription + 1);
        return (long) ports * (ports / 2) * (ports - uplinks);
    }

    /**
     * A three-tier fat tree of identical switches, filled with hosts from the first port.
     *
     * @param ports ports of a switch, even, a multiple of {@code oversubscription + 1}
     * @param oversubscription hosts for each uplink of an edge switch
     */
    public static PacketTopology fatTree(
            int hosts, int ports, int oversubscription, int cards, Tier edge, Tier aggregation, Tier core) {
        int uplinks = ports / (oversubscription + 1);
        int perEdge = ports - uplinks;
        int perPod = perEdge * (ports / 2);
        int pods = (hosts + perPod - 1) / perPod;
        Builder builder = new Builder(hosts);
        for (int card = 0; card < cards; card++) {
            List<Integer> edges = builder.newSwitches((hosts + perEdge - 1) / perEdge);
            List<Integer> aggregations = builder.newSwitches(pods * uplinks);
            List<Integer> cores = pods > 1 ? builder.newSwitches(uplinks * (ports / 2)) : List.of();
            for (int host = 0; host < hosts; host++) {
                builder.join(edges.get(host / perEdge), host, edge);
            }
            for (int i = 0; i < edges.size(); i++) {
                int pod = i / (ports / 2);
                joinAll(
                        builder,
                        edges.subList(i, i + 1),
                        aggregations.subList(pod * uplinks, (pod + 1) * uplinks),
                        aggregation);
            }
            for (int i = 0; i < aggregations.size() && pods > 1; i++) {
                int group = i % uplinks * (ports / 2);
                joinAll(builder, aggregations.subList(i, i + 1), cores.subList(group, group + ports / 2), core);
            }
        }
        return builder.build();
    }

    /**
     * Rail-optimised: the hosts of a node share a fast switch, the i-th hosts of all nodes share rail i, and spines
     * join the rails.
     *
     * <p>Paths inside a node use its switch, paths along a rail use the rail, and all other paths use either.
     */
    public static PacketTopology rails(int hosts, int perNode, int spines, Tier node, Tier rail, Tier up) {
        Builder builder = new Builder(hosts);
        List<Integer> nodes = builder.newSwitches((hosts + perNode - 1) / perNode);
        List<Integer> rails = builder.newSwitches(perNode);
        for (int host = 0; host < hosts; host++) {
            builder.join(nodes.get(host / perNode), host, node);
            builder.join(rails.get(host % perNode), host, rail);
        }
        joinAll(builder, rails, builder.newSwitches(spines), up);
        return builder.build();
    }

    /** A dragonfly: groups of fully connected routers, and one global cable between each pair of groups. */
    public static PacketTopology dragonfly(
            int groups, int routers, int perRouter, int globals, int cards, Tier edge, Tier local, Tier global) {
        int hosts = groups * routers * perRouter;
        Builder builder = new Builder(hosts);
        for (int card = 0; card < cards; card++) {
            List<Integer> all = leaves(builder, hosts, perRouter, edge);
            for (int group = 0; group < groups; group++) {
                for (int i = 0; i < routers; i++) {
                    for (int j = i + 1; j < routers; j++) {
                        builder.join(all.get(group * routers + i), all.get(group * routers + j), local);
                    }
                }
            }
            for (int a = 0; a < groups; a++) {
                for (int b = a + 1; b < groups; b++) {
                    int fromA = a * routers + (b - 1) / globals;
                    int fromB = b * routers + a / globals;
                    builder.join(all.get(fromA), all.get(fromB), global);
                }
            }
        }
        return builder.build();
    }

    /** A torus of switches with {@code perSwitch} hosts each. A dimension of size 2 has one cable. */
    public static PacketTopology torus(List<Integer> sizes, int perSwitch, int cards, Tier edge, Tier between) {
        int count = sizes.stream().reduce(1, Math::multiplyExact);
        Builder builder = new Builder(count * perSwitch);
        for (int card = 0; card < cards; card++) {
            List<Integer> all = leaves(builder, count * perSwitch, perSwitch, edge);
            for (int i = 0; i < count; i++) {
                int stride = 1;
                for (int size : sizes) {
                    int place = i / stride % size;
                    int next = i - place * stride + (place + 1) % size * stride;
                    if (size > 2 || (place == 0 && size == 2)) {
                        builder.join(all.get(i), all.get(next), between);
                    }
                    stride *= size;
                }
            }
        }
        return builder.build();
    }

    /** Collects switches and cables. */
    private static final class Builder {
        private final int hosts;
        private final List<Cable> cables = new ArrayList<>();
        private int nodes;

        Builder(int hosts) {
            this.hosts = hosts;
            nodes = hosts;
        }

        int newSwitch() {
            return nodes++;
        }

        List<Integer> newSwitches(int count) {
            return IntStream.range(0, count).mapToObj(i -> newSwitch()).toList();
        }

        void join(int a, int b, Tier tier) {
            cables.add(new Cable(a, b, tier.rate(), tier.delay(), 0));
        }

        PacketTopology build() {
            return new PacketTopology(
                    nodes, IntStream.range(hosts, nodes).boxed().toList(), cables);
        }
    }
}
