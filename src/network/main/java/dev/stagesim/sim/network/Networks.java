package dev.stagesim.sim.network;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.stream.IntStream;

/** Creates the network backend for a specification. */
public final class Networks {
    private static final String CATEGORY = "network error";

    private Networks() {}

    /**
     * Creates a network for one run.
     *
     * @throws StageException of kind input if the backend cannot model the network
     */
    public static Network of(NetworkSpec spec) {
        if (spec.contention() == NetworkSpec.Contention.UNAWARE) {
            return new CongestionUnawareNetwork(spec);
        }
        if (spec.dimensions().size() > 1) {
            throw StageException.input(Problem.of(
                    CATEGORY,
                    "topology",
                    "the congestion-aware backend has one dimension, and this network has "
                            + spec.dimensions().size()));
        }
        return new CongestionAwareNetwork(spec);
    }

    /** Creates a link-level network for one run. */
    public static Network of(Fabric fabric, NetworkSpec.Contention contention) {
        return contention == NetworkSpec.Contention.UNAWARE
                ? new RoutedUnawareNetwork(fabric)
                : new RoutedAwareNetwork(fabric, contention == NetworkSpec.Contention.SHARED);
    }

    /**
     * Any graph of links that transmit one message at a time. On one-dimensional networks it computes the same times as
     * {@link CongestionAwareNetwork}.
     */
    private static final class RoutedAwareNetwork extends SharedLinksNetwork {

        private final LinkGraph graph;
        private final LinkRouter router;

        RoutedAwareNetwork(Fabric fabric, boolean cutsThrough) {
            super(fabric.graph().links(), cutsThrough);
            graph = fabric.graph();
            router = fabric.router();
        }

        @Override
        public int npus() {
            return graph.npus();
        }

        @Override
        int nextLink(int device, int source, int destination) {
            return router.next(device, source, destination);
        }

        @Override
        int nearEnd(int link) {
            return graph.from(link);
        }

        @Override
        int farEnd(int link) {
            return graph.to(link);
        }

        @Override
        int tier(int link) {
            return graph.dimension(link);
        }

        @Override
        double latency(int link) {
            return graph.latency(link);
        }

        @Override
        double bytesPerNs(int link) {
            return graph.bytesPerNs(link);
        }
    }

    /**
     * Any graph of links without contention. The time of a message is the sum of the latencies of its path plus its
     * size over the bandwidth of the slowest link. O(hops) per message.
     */
    private static final class RoutedUnawareNetwork extends AnalyticNetwork {
        private final LinkGraph graph;
        private final LinkRouter router;
        private final long[] crossed;
        private final long[] crossedBytes;
        private final double[] busyNs;

        RoutedUnawareNetwork(Fabric fabric) {
            graph = fabric.graph();
            router = fabric.router();
            crossed = new long[graph.links()];
            crossedBytes = new long[graph.links()];
            busyNs = new double[graph.links()];
        }

        @Override
        public int npus() {
            return graph.npus();
        }

        /** Traffic is counted per link, so folding would lose the traffic of all members except the representative. */
        @Override
        public boolean fold(SymmetryFold fold) {
            return false;
        }

        @Override
        void start(int message, int from, int to, long bytes) {
            if (from == to) {
                throw new IllegalStateException("NPU " + from + " sends to itself");
            }
            double slowest = Double.POSITIVE_INFINITY;
            double latency = 0;
            double step = 0;
            int equalHops = 0;
            for (int device = from; device != to; ) {
                int link = router.next(device, from, to);
                // Equal latencies are multiplied, not summed, so that the result equals hops x latency along one
                // dimension.
                if (graph.latency(link) != step) {
                    latency += equalHops * step;
                    step = graph.latency(link);
                    equalHops = 0;
                }
                equalHops++;
                slowest = Math.min(slowest, graph.bytesPerNs(link));
                crossed[link]++;
                crossedBytes[link] += bytes;
                busyNs[link] += bytes / graph.bytesPerNs(link);
                device = graph.to(link);
            }
            planArrival(now() + (long) (latency + equalHops * step + bytes / slowest), message);
        }

        /** Traffic of each link and its transmission time; queueing time is always 0. */
        @Override
        public List<LinkUse> links() {
            return IntStream.range(0, graph.links())
                    .mapToObj(link -> new LinkUse(
                            graph.from(link),
                            graph.to(link),
                            graph.dimension(link),
                            graph.bytesPerNs(link),
                            crossed[link],
                            crossedBytes[link],
                            (long) busyNs[link],
                            0,
                            0))
                    .toList();
        }
    }

    /**
     * One dimension of links that transmit one message at a time. Links are numbered implicitly, so thousands of NPUs
     * need no list of links.
     *
     * <p>A ring routes along the shorter direction, clockwise on a tie. A switch is one additional device between all
     * NPUs.
     */
    private static final class CongestionAwareNetwork extends SharedLinksNetwork {

        private final Topology topology;
        private final int npus;
        private final double latency;
        private final double bytesPerNs;

        /** @throws StageException of kind input for a ring of two NPUs, because it would connect them twice */
        CongestionAwareNetwork(NetworkSpec spec) {
            super(links(spec.dimensions().get(0)), spec.contention() == NetworkSpec.Contention.SHARED);
            NetworkDimension only = spec.dimensions().get(0);
            topology = only.topology();
            npus = only.npus();
            latency = only.latency();
            bytesPerNs = only.bytesPerNs();
            if (topology == Topology.RING && npus == 2) {
                throw StageException.input(Problem.of(
                                "network error", "topology", "a congestion-aware ring of 2 NPUs would join them twice")
                        .hint("use FullyConnected for 2 NPUs"));
            }
        }

        private static int links(NetworkDimension only) {
            return only.topology() == Topology.FULLY_CONNECTED
                    ? Math.multiplyExact(only.npus(), only.npus())
                    : 2 * only.npus();
        }

        @Override
        public int npus() {
            return npus;
        }

        @Override
        public boolean supportsSelfSend() {
            return topology == Topology.SWITCH;
        }

        @Override
        int nextLink(int device, int source, int destination) {
            return switch (topology) {
                case FULLY_CONNECTED -> device * npus + destination;
                case SWITCH -> device == npus ? npus + destination : device;
                case RING -> isClockwise(source, destination) ? device : npus + device;
                case MESH -> throw new IllegalStateException("no mesh");
            };
        }

        private boolean isClockwise(int from, int to) {
            int clockwise = to > from ? to - from : to - from + npus;
            return clockwise <= npus - clockwise;
        }

        @Override
        int nearEnd(int link) {
            return switch (topology) {
                case FULLY_CONNECTED -> link / npus;
                case SWITCH -> Math.min(link, npus);
                case RING -> link % npus;
                case MESH -> throw new IllegalStateException("no mesh");
            };
        }

        @Override
        int farEnd(int link) {
            return switch (topology) {
                case FULLY_CONNECTED -> link % npus;
                case SWITCH -> link < npus ? npus : link - npus;
                case RING -> link < npus ? (link + 1) % npus : (link - 1) % npus;
                case MESH -> throw new IllegalStateException("no mesh");
            };
        }

        @Override
        int tier(int link) {
            return 0;
        }

        @Override
        double latency(int link) {
            return latency;
        }

        @Override
        double bytesPerNs(int link) {
            return bytesPerNs;
        }
    }

    /**
     * A network without contention. A message takes hops x latency + size / bandwidth, truncated to whole ns.
     *
     * <p>The reference counts only the hops in the lowest dimension with different coordinates. With {@code wholePath},
     * the hops in all dimensions count, and the bandwidth is the minimum along the path.
     * O(dimensions) per message.
     */
    private static final class CongestionUnawareNetwork extends AnalyticNetwork {
        private final int[] size;
        private final Topology[] topology;
        private final double[] latency;
        private final double[] bytesPerNs;
        private final int npus;
        private final boolean wholePath;

        CongestionUnawareNetwork(NetworkSpec spec) {
            int n = spec.dimensions().size();
            size = new int[n];
            topology = new Topology[n];
            latency = new double[n];
            bytesPerNs = new double[n];
            npus = spec.npus();
            wholePath = spec.wholePath();
            for (int d = 0; d < n; d++) {
                NetworkDimension dimension = spec.dimensions().get(d);
                size[d] = dimension.npus();
                topology[d] = dimension.topology();
                latency[d] = dimension.latency();
                bytesPerNs[d] = dimension.bytesPerNs();
            }
        }

        @Override
        public int npus() {
            return npus;
        }

        @Override
        void start(int message, int from, int to, long bytes) {
            planArrival(now() + delay(from, to, bytes), message);
        }

        @Override
        public boolean areEquivalentPaths(int[] from, int[] to) {
            int first = distance(from[0], to[0]);
            boolean isEqual = first >= 0;
            for (int i = 1; i < from.length && isEqual; i++) {
                isEqual = distance(from[i], to[i]) == first;
            }
            return isEqual;
        }

        /** Returns a number that is equal for two pairs of NPUs if their messages of equal size take equally long. */
        private int distance(int source, int destination) {
            int a = source;
            int b = destination;
            int number = 0;
            int places = 1;
            boolean isFound = false;
            for (int d = 0; d < size.length; d++) {
                int n = size[d];
                if (a % n != b % n && (wholePath || !isFound)) {
                    isFound = true;
                    // A dimension of n NPUs has at most n - 1 hops, so the result stays below the number of NPUs.
                    number += places * Math.min(n - 1, hops(topology[d], n, a % n, b % n));
                }
                places *= n;
                a /= n;
                b /= n;
            }
            return isFound ? number : -1;
        }

        private long delay(int from, int to, long bytes) {
            int a = from;
            int b = to;
            double latencies = 0;
            double slowest = Double.POSITIVE_INFINITY;
            for (int d = 0; d < size.length; d++) {
                int n = size[d];
                int x = a % n;
                int y = b % n;
                if (x != y) {
                    double hopLatency = hops(topology[d], n, x, y) * latency[d];
                    if (!wholePath) {
                        return (long) (hopLatency + bytes / bytesPerNs[d]);
                    }
                    latencies += hopLatency;
                    slowest = Math.min(slowest, bytesPerNs[d]);
                }
                a /= n;
                b /= n;
            }
            if (slowest == Double.POSITIVE_INFINITY) {
                throw new IllegalStateException("NPU " + from + " sends to itself");
            }
            return (long) (latencies + bytes / slowest);
        }

        private static int hops(Topology topology, int n, int x, int y) {
            if (topology == Topology.MESH) {
                return Math.abs(x - y);
            }
            if (topology != Topology.RING) {
                return topology == Topology.SWITCH ? 2 : 1;
            }
            int clockwise = y > x ? y - x : y - x + n;
            return Math.min(clockwise, n - clockwise);
        }

        @Override
        public List<LinkUse> links() {
            return List.of(); // There is no contention for links in this backend.
        }
    }
}
