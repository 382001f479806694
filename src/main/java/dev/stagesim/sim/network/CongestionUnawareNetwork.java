package dev.stagesim.sim.network;

import java.util.function.Consumer;

/**
 * Messages that never delay each other: hops times latency plus size over bandwidth, cut to whole ns.
 *
 * <p>Only the lowest dimension in which two ranks differ counts; differences in higher dimensions are free, as in the
 * reference. O(dimensions) per message.
 */
final class CongestionUnawareNetwork extends AnalyticNetwork {
    private final int[] size;
    private final Topology[] topology;
    private final double[] latency;
    private final double[] bytesPerNs;
    private final int npus;

    CongestionUnawareNetwork(NetworkSpec spec) {
        int n = spec.dimensions().size();
        size = new int[n];
        topology = new Topology[n];
        latency = new double[n];
        bytesPerNs = new double[n];
        npus = spec.npus();
        for (int d = 0; d < n; d++) {
            Dimension dimension = spec.dimensions().get(d);
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
    public int distance(int source, int destination) {
        int a = source;
        int b = destination;
        for (int d = 0; d < size.length; d++) {
            int n = size[d];
            if (a % n != b % n) {
                return hops(topology[d], n, a % n, b % n) * size.length + d;
            }
            a /= n;
            b /= n;
        }
        return -1;
    }

    @Override
    public long delay(int from, int to, long bytes) {
        int a = from;
        int b = to;
        for (int d = 0; d < size.length; d++) {
            int n = size[d];
            int x = a % n;
            int y = b % n;
            if (x != y) {
                return (long) (hops(topology[d], n, x, y) * latency[d] + bytes / bytesPerNs[d]);
            }
            a /= n;
            b /= n;
        }
        throw new IllegalStateException("NPU " + from + " sends to itself");
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
    void handle(int kind, int index) {
        throw new IllegalStateException("no such event");
    }

    @Override
    void grow(int messages) {
        // Nothing is kept per message.
    }

    @Override
    public void links(Consumer<LinkUse> sink) {
        // Messages do not meet on links here.
    }
}
