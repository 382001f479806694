package dev.stagesim.sim.network;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Builds link-level networks: products of dimensions, fat trees, dragonflies and explicit graphs. */
public final class Fabrics {
    private Fabrics() {}

    /**
     * Rate and latency of the links of a tier.
     *
     * @param bytesPerNs above 0
     * @param latency in ns, at least 0
     */
    public record Tier(double bytesPerNs, double latency) {}

    /** A product of dimensions with dimension-ordered routing from the first dimension. Rings make a torus. */
    public static Fabric product(List<NetworkDimension> dimensions) {
        return ProductFabric.of(dimensions);
    }

    /**
     * A three-tier fat tree of identical switches.
     *
     * <p>An edge switch has {@code ports/(oversubscription + 1)} uplinks and {@code oversubscription} times as many
     * NPUs. A pod has {@code ports/2} edge switches and one aggregation switch per uplink of an edge switch. Routing up
     * the tree is a function of the destination, digit by digit (d-mod-k), so shift permutations share no link.
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

    /** Maximum number of NPUs of a fat tree. */
    public static long fatTreeCapacity(int ports, int oversubscription) {
        return (long) ports * (ports / 2) * (ports / (oversubscription + 1)) * oversubscription;
    }

    /**
     * A dragonfly. The routers of a group are fully connected, one global link joins each pair of groups, and the
     * global links of a group are assigned to its routers in turn.
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
                // Numbered over all groups except its owner, the link to b is number b - 1 of group a, and the link to
                // a is number a of b.
                int here = all + a * routers + (b - 1) % routers;
                int there = all + b * routers + a % routers;
                join(graph, here, there, 2, tiers);
            }
        }
        return new Fabric(graph, new ShortestRoutes(graph, new int[graph.devices()]), List.of(all));
    }

    /**
     * An explicit graph.
     *
     * @param dimensions as in {@link Fabric}
     */
    public static Fabric graph(LinkGraph graph, List<Integer> dimensions) {
        return new Fabric(graph, new ShortestRoutes(graph, new int[graph.devices()]), dimensions);
    }

    /**
     * Returns a source and a destination without a path between them, or an empty array if every NPU reaches every
     * other.
     */
    public static int[] unreachable(LinkGraph graph) {
        return new ShortestRoutes(graph, new int[graph.devices()]).unreachable();
    }

    private static void join(LinkGraph graph, int a, int b, int tier, List<Tier> tiers) {
        graph.addBoth(a, b, tier, tiers.get(tier).bytesPerNs(), tiers.get(tier).latency());
    }

    private static int divideUp(int number, int by) {
        return (number + by - 1) / by;
    }

    /**
     * Shortest paths in hops, with a deterministic choice among equal ones.
     *
     * <p>If k links lead towards the destination, a message takes link number (destination / stride) mod k. With one
     * stride per layer, traffic to different destinations takes different paths up a tree. A stride of 0 selects by a
     * hash of source, destination and device instead. All messages of a pair take the same path. The choices for a
     * destination are computed on first use in O(links); after that a hop costs O(1).
     */
    private static final class ShortestRoutes implements LinkRouter {
        private static final int UNREACHED = Integer.MAX_VALUE;

        private final LinkGraph graph;
        private final int[] stride;
        /** Links grouped by the device at their far end, and by the device at their near end (offsets and lists). */
        private final int[] intoStart;

        private final int[] into;
        private final int[] outStart;
        private final int[] out;
        /** By destination: the offset of each device's choices, and the choices. */
        private final int[][] choiceStart;

        private final int[][] choices;

        /** @param stride by device; 0 selects by hash */
        ShortestRoutes(LinkGraph graph, int[] stride) {
            this.graph = graph;
            this.stride = stride.clone();
            int devices = graph.devices();
            intoStart = new int[devices + 1];
            outStart = new int[devices + 1];
            for (int link = 0; link < graph.links(); link++) {
                intoStart[graph.to(link) + 1]++;
                outStart[graph.from(link) + 1]++;
            }
            for (int device = 0; device < devices; device++) {
                intoStart[device + 1] += intoStart[device];
                outStart[device + 1] += outStart[device];
            }
            into = new int[graph.links()];
            out = new int[graph.links()];
            int[] nextInto = intoStart.clone();
            int[] nextOut = outStart.clone();
            for (int link = 0; link < graph.links(); link++) {
                into[nextInto[graph.to(link)]++] = link;
                out[nextOut[graph.from(link)]++] = link;
            }
            choiceStart = new int[graph.npus()][];
            choices = new int[graph.npus()][];
        }

        @Override
        public int next(int device, int source, int destination) {
            if (choiceStart[destination] == null) {
                find(destination);
            }
            int first = choiceStart[destination][device];
            int count = choiceStart[destination][device + 1] - first;
            if (count == 0) {
                throw new IllegalStateException("no way leads from " + device + " to " + destination);
            }
            return choices[destination][first + (count == 1 ? 0 : choice(device, source, destination, count))];
        }

        private int choice(int device, int source, int destination, int count) {
            if (stride[device] > 0) {
                return destination / stride[device] % count;
            }
            long mixed = (source * 0x9E3779B97F4A7C15L + destination) * 0xC2B2AE3D27D4EB4FL + device;
            mixed = (mixed ^ mixed >>> 29) * 0x165667B19E3779F9L;
            return (int) Long.remainderUnsigned(mixed ^ mixed >>> 32, count);
        }

        /** Returns a source and a destination without a path, or an empty array. */
        int[] unreachable() {
            for (int destination = 0; destination < graph.npus(); destination++) {
                int[] hops = hops(destination);
                for (int source = 0; source < graph.npus(); source++) {
                    if (hops[source] == UNREACHED) {
                        return new int[] {source, destination};
                    }
                }
            }
            return new int[0];
        }

        private int[] hops(int destination) {
            int[] hops = new int[graph.devices()];
            Arrays.fill(hops, UNREACHED);
            int[] queue = new int[graph.devices()];
            int read = 0;
            int written = 0;
            hops[destination] = 0;
            queue[written++] = destination;
            while (read < written) {
                int device = queue[read++];

                for (int i = intoStart[device]; i < intoStart[device + 1]; i++) {
                    int before = graph.from(into[i]);
                    if (hops[before] == UNREACHED) {
                        hops[before] = hops[device] + 1;
                        queue[written++] = before;
                    }
                }
            }
            return hops;
        }

        private void find(int destination) {
            int[] hops = hops(destination);
            int[] start = new int[graph.devices() + 1];
            int[] found = new int[graph.links()];
            int count = 0;
            for (int device = 0; device < graph.devices(); device++) {
                start[device] = count;
                for (int i = outStart[device]; i < outStart[device + 1]; i++) {
                    boolean isNearer = hops[device] != UNREACHED && hops[graph.to(out[i])] == hops[device] - 1;
                    if (isNearer) {
                        found[count++] = out[i];
                    }
                }
            }
            start[graph.devices()] = count;
            choices[destination] = Arrays.copyOf(found, count);
            choiceStart[destination] = start;
        }
    }

    /**
     * A product of dimensions as links with dimension-ordered routing: a torus of rings, a mesh, a cube of switches.
     *
     * <p>Every line of NPUs along a dimension has its links, and a switch if the dimension is a switch. A ring routes
     * along the shorter direction, forward on a tie; a ring of two NPUs has one link per direction. O(dimensions) per
     * hop.
     */
    private static final class ProductFabric implements LinkRouter {
        private final List<NetworkDimension> dimensions;
        private final LinkGraph graph;
        private final int[] stride;
        private final int[] firstLink;
        private final int[] firstSwitch;

        private ProductFabric(List<NetworkDimension> dimensions) {
            this.dimensions = dimensions;
            int n = dimensions.size();
            stride = new int[n + 1];
            firstLink = new int[n];
            firstSwitch = new int[n + 1];
            stride[0] = 1;
            for (int d = 0; d < n; d++) {
                stride[d + 1] = Math.multiplyExact(stride[d], dimensions.get(d).npus());
            }
            int npus = stride[n];
            firstSwitch[0] = npus;
            for (int d = 0; d < n; d++) {
                boolean isSwitch = dimensions.get(d).topology() == Topology.SWITCH;
                int lines = isSwitch ? npus / dimensions.get(d).npus() : 0;
                firstSwitch[d + 1] = Math.addExact(firstSwitch[d], lines);
            }
            graph = new LinkGraph(npus, firstSwitch[n]);
            for (int d = 0; d < n; d++) {
                firstLink[d] = graph.links();
                for (int line = 0; line < npus / dimensions.get(d).npus(); line++) {
                    connect(d, line);
                }
            }
        }

        static Fabric of(List<NetworkDimension> dimensions) {
            ProductFabric product = new ProductFabric(List.copyOf(dimensions));
            List<Integer> sizes = new ArrayList<>();
            dimensions.forEach(dimension -> sizes.add(dimension.npus()));
            return new Fabric(product.graph, product, sizes);
        }

        private void connect(int d, int line) {
            NetworkDimension dimension = dimensions.get(d);
            int n = dimension.npus();
            double rate = dimension.bytesPerNs();
            double latency = dimension.latency();
            switch (dimension.topology()) {
                case RING, MESH -> {
                    for (int i = 0; i < pairs(dimension); i++) {
                        graph.addBoth(npu(d, line, i), npu(d, line, (i + 1) % n), d, rate, latency);
                    }
                }
                case SWITCH -> {
                    for (int i = 0; i < n; i++) {
                        graph.addBoth(npu(d, line, i), firstSwitch[d] + line, d, rate, latency);
                    }
                }
                case FULLY_CONNECTED -> {
                    for (int i = 0; i < n; i++) {
                        for (int j = 0; j < n; j++) {
                            if (i != j) {
                                graph.add(npu(d, line, i), npu(d, line, j), d, rate, latency);
                            }
                        }
                    }
                }
            }
        }

        /** Number of linked neighbours in a line of a ring or mesh. */
        private static int pairs(NetworkDimension dimension) {
            boolean isAround = dimension.topology() == Topology.RING && dimension.npus() > 2;
            return isAround ? dimension.npus() : dimension.npus() - 1;
        }

        private static int linksOfLine(NetworkDimension dimension) {
            int n = dimension.npus();
            return switch (dimension.topology()) {
                case RING, MESH -> 2 * pairs(dimension);
                case SWITCH -> 2 * n;
                case FULLY_CONNECTED -> n * (n - 1);
            };
        }

        /**
         * The NPU at a position of a line. Lines of a dimension are numbered by the coordinates in all dimensions
         * except this one.
         */
        private int npu(int d, int line, int place) {
            return line % stride[d] + place * stride[d] + line / stride[d] * stride[d + 1];
        }

        private int line(int d, int npu) {
            return npu % stride[d] + npu / stride[d + 1] * stride[d];
        }

        private int place(int d, int npu) {
            return npu / stride[d] % dimensions.get(d).npus();
        }

        @Override
        public int next(int device, int source, int destination) {
            if (device >= graph.npus()) {
                int d = 0;
                while (device >= firstSwitch[d + 1]) {
                    d++;
                }
                int line = device - firstSwitch[d];
                return link(d, line, 2 * place(d, destination) + 1);
            }
            int d = 0;
            while (place(d, device) == place(d, destination)) {
                d++;
            }
            int here = place(d, device);
            int there = place(d, destination);
            int n = dimensions.get(d).npus();
            int within =
                    switch (dimensions.get(d).topology()) {
                        case SWITCH -> 2 * here;
                        case FULLY_CONNECTED -> here * (n - 1) + (there < here ? there : there - 1);
                        case MESH -> there > here ? 2 * here : 2 * here - 1;
                        case RING -> onRing(here, there, place(d, source), n);
                    };
            return link(d, line(d, device), within);
        }

        /** Position i and its successor are joined by link 2i (forward) and link 2i + 1 (backward). */
        private static int onRing(int here, int there, int start, int n) {
            if (n == 2) {
                return here;
            }
            int forward = Math.floorMod(there - start, n);
            return forward <= n - forward ? 2 * here : 2 * Math.floorMod(here - 1, n) + 1;
        }

        private int link(int d, int line, int within) {
            return firstLink[d] + line * linksOfLine(dimensions.get(d)) + within;
        }
    }
}
