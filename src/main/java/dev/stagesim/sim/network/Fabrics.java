package dev.stagesim.sim.network;

import java.util.List;

/** Makes networks of links: products of dimensions, fat trees, dragonflies and graphs given link by link. */
public final class Fabrics {
    private Fabrics() {}

    /**
     * Rate and latency of the links of a tier.
     *
     * @param bytesPerNs above 0
     * @param latency in ns, at least 0
     */
    public record Tier(double bytesPerNs, double latency) {}

    /** A product of dimensions, routed one after the other from the first; rings make a torus. */
    public static Fabric product(List<Dimension> dimensions) {
        return ProductFabric.of(dimensions);
    }

    /**
     * A fat tree of three tiers of equal switches.
     *
     * <p>An edge switch has {@code ports/(oversubscription + 1)} uplinks and {@code oversubscription} times as many NPUs;
     * a pod has {@code ports/2} edge switches and as many aggregation switches as an edge switch has uplinks. Ways
     * up are chosen by the destination, digit by digit, so that shifted traffic shares no link.
     *
     * @param ports even; divisible by oversubscription + 1
     * @param npus at most {@link #fatTreeCapacity}
     * @param tiers of the links to NPUs, from edge to aggregation, from aggregation to core
     */
    public static Fabric fatTree(int ports, int oversubscription, int npus, List<Tier> tiers) {
        int uplinks = ports / (oversubscription + 1);
        int down = uplinks * oversubscription;
        int half = ports / 2;
        int edges = divideUp(npus, down);
        int pods = divideUp(edges, half);
        int firstAggregation = npus + edges;
        int firstCore = firstAggregation + pods * uplinks;
        LinkGraph graph = new LinkGraph(npus, pods > 1 ? firstCore + uplinks * half : firstCore);
        int[] stride = new int[graph.devices()];
        for (int npu = 0; npu < npus; npu++) {
            join(graph, npu, npus + npu / down, 0, tiers);
            stride[npu] = 1;
        }
        for (int edge = 0; edge < edges; edge++) {
            stride[npus + edge] = 1;
            for (int up = 0; up < uplinks; up++) {
                join(graph, npus + edge, firstAggregation + edge / half * uplinks + up, 1, tiers);
            }
        }
        for (int aggregation = 0; aggregation < pods * uplinks; aggregation++) {
            stride[firstAggregation + aggregation] = uplinks;
            for (int core = 0; pods > 1 && core < half; core++) {
                int above = firstCore + aggregation % uplinks * half + core;
                stride[above] = 1;
                join(graph, firstAggregation + aggregation, above, 2, tiers);
            }
        }
        return new Fabric(graph, new ShortestRoutes(graph, stride), List.of(npus));
    }

    /** Most NPUs of such a fat tree. */
    public static long fatTreeCapacity(int ports, int oversubscription) {
        return (long) ports * (ports / 2) * (ports / (oversubscription + 1)) * oversubscription;
    }

    /**
     * A dragonfly: the routers of a group are all joined, and every pair of groups is joined by one link, the global
     * links of a group being dealt to its routers in turn.
     *
     * @param groups at most routers x globals + 1
     * @param npus of a router
     * @param tiers of the links to NPUs, within a group, between groups
     */
    public static Fabric dragonfly(int groups, int routers, int npus, int globals, List<Tier> tiers) {
        if (groups - 1 > (long) routers * globals) {
            throw new IllegalArgumentException(groups + " groups");
        }
        int perGroup = Math.multiplyExact(routers, npus);
        int all = Math.multiplyExact(groups, perGroup);
        LinkGraph graph = new LinkGraph(all, all + groups * routers);
        for (int npu = 0; npu < all; npu++) {
            join(graph, npu, all + npu / npus, 0, tiers);
        }
        for (int group = 0; group < groups; group++) {
            for (int a = 0; a < routers; a++) {
                for (int b = a + 1; b < routers; b++) {
                    join(graph, all + group * routers + a, all + group * routers + b, 1, tiers);
                }
            }
        }
        for (int a = 0; a < groups; a++) {
            for (int b = a + 1; b < groups; b++) {
                // Group a's link to b is its (b - 1)-th, b's to a its a-th, counted over the other groups.
                int here = all + a * routers + (b - 1) % routers;
                int there = all + b * routers + a % routers;
                join(graph, here, there, 2, tiers);
            }
        }
        return new Fabric(graph, new ShortestRoutes(graph, new int[graph.devices()]), List.of(all));
    }

    /**
     * A graph given link by link.
     *
     * @param dimensions as in {@link Fabric}
     */
    public static Fabric graph(LinkGraph graph, List<Integer> dimensions) {
        return new Fabric(graph, new ShortestRoutes(graph, new int[graph.devices()]), dimensions);
    }

    /** Two NPUs of which the first has no way to the second; empty when every NPU reaches every other. */
    public static int[] unreachable(LinkGraph graph) {
        return new ShortestRoutes(graph, new int[graph.devices()]).unreachable();
    }

    private static void join(LinkGraph graph, int a, int b, int tier, List<Tier> tiers) {
        graph.addBoth(a, b, tier, tiers.get(tier).bytesPerNs(), tiers.get(tier).latency());
    }

    private static int divideUp(int number, int by) {
        return (number + by - 1) / by;
    }
}
