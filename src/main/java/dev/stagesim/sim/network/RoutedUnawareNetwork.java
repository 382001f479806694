package dev.stagesim.sim.network;

import java.util.function.Consumer;

/**
 * Any graph of links on which messages never delay each other: a message takes the latencies of its way and the time
 * that its bytes need on the slowest link of it. O(hops) per message.
 */
final class RoutedUnawareNetwork extends AnalyticNetwork {
    private final LinkGraph graph;
    private final Router router;
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

    @Override
    void start(int message, int from, int to, long bytes) {
        if (from == to) {
            throw new IllegalStateException("NPU " + from + " sends to itself");
        }
        double slowest = Double.POSITIVE_INFINITY;
        double latency = 0;
        double step = 0;
        int alike = 0;
        for (int device = from; device != to; ) {
            int link = router.next(device, from, to);
            // Equal latencies are multiplied, not summed, so that a way along one dimension is priced as its hops are.
            if (graph.latency(link) != step) {
                latency += alike * step;
                step = graph.latency(link);
                alike = 0;
            }
            alike++;
            slowest = Math.min(slowest, graph.bytesPerNs(link));
            crossed[link]++;
            crossedBytes[link] += bytes;
            busyNs[link] += bytes / graph.bytesPerNs(link);
            device = graph.to(link);
        }
        planArrival(now() + (long) (latency + alike * step + bytes / slowest), message);
    }

    @Override
    void handle(int kind, int index) {
        throw new IllegalStateException("no such event");
    }

    @Override
    void grow(int messages) {
        // Nothing is kept per message.
    }

    /** What crossed each link, and the time it would have taken; nothing ever waits. */
    @Override
    public void links(Consumer<LinkUse> sink) {
        for (int link = 0; link < graph.links(); link++) {
            sink.accept(new LinkUse(
                    graph.from(link),
                    graph.to(link),
                    graph.dimension(link),
                    graph.bytesPerNs(link),
                    crossed[link],
                    crossedBytes[link],
                    (long) busyNs[link],
                    0,
                    0));
        }
    }
}
