package dev.stagesim.sim.network;

/**
 * Any graph of links that transmit one message at a time; on the networks of one dimension it gives the times of
 * {@link CongestionAwareNetwork}.
 */
final class RoutedAwareNetwork extends StoreAndForwardNetwork {

    private final LinkGraph graph;
    private final Router router;

    RoutedAwareNetwork(Fabric fabric) {
        super(fabric.graph().links());
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
