package dev.stagesim.sim.network;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;

/**
 * One dimension of links that transmit one message at a time, numbered without a graph so that thousands of NPUs cost
 * no list of links.
 *
 * <p>A ring has a link to each neighbour and goes the shorter way round, clockwise when both are as long; a switch is
 * one more device between all.
 */
final class CongestionAwareNetwork extends StoreAndForwardNetwork {

    private final Topology topology;
    private final int npus;
    private final double latency;
    private final double bytesPerNs;

    /**
     * @throws StageException of kind input when the ring has two NPUs, which would join them twice
     */
    CongestionAwareNetwork(NetworkSpec spec) {
        super(links(spec.dimensions().get(0)));
        Dimension only = spec.dimensions().get(0);
        topology = only.topology();
        npus = only.npus();
        latency = only.latency();
        bytesPerNs = only.bytesPerNs();
        if (topology == Topology.RING && npus == 2) {
            throw StageException.input(
                    Problem.of("network error", "topology", "a congestion-aware ring of 2 NPUs would join them twice")
                            .hint("use FullyConnected for 2 NPUs"));
        }
    }

    private static int links(Dimension only) {
        return only.topology() == Topology.FULLY_CONNECTED
                ? Math.multiplyExact(only.npus(), only.npus())
                : 2 * only.npus();
    }

    @Override
    public int npus() {
        return npus;
    }

    @Override
    public boolean carriesToSelf() {
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
