package dev.stagesim.sim.network.packet;

/**
 * The least time that messages take, on their own ways through an empty network.
 *
 * <p>Each frame, headers and all, crosses every cable in turn and none overtakes another; then the acknowledgement of the
 * last one comes back without waiting. Frames that spread over equal paths only share the first and the last cable.
 * Windows are not counted, so that one that is too small shows as slowdown.
 */
final class IdealTimes {
    private final State state;
    private final Ports ports;
    private final Flows flows;
    private final FlowPath path;
    private final boolean spray;

    IdealTimes(State state) {
        this.state = state;
        ports = state.ports;
        flows = state.flows;
        path = new FlowPath(state);
        spray = state.spec.paths().spray();
    }

    /** Least time in ns from the start of a flow that has its port until its sender knows that all has arrived. */
    long of(int flow) {
        if (!path.find(flow, flows.port[flow])) {
            return 0;
        }
        long bytes = flows.bytes[flow];
        int payload = state.spec.transport().payload();
        long frames = Math.max(1, (bytes + payload - 1) / payload);
        int full = payload + state.sizes.dataHeaders;
        int rest = (int) (bytes - (frames - 1) * payload) + state.sizes.dataHeaders;
        // When the first frame, if full, has crossed so far, the longest time of one on a cable, and the last frame.
        long first = 0;
        long longest = 0;
        long last = 0;
        for (int hop = 0; hop < path.hops(); hop++) {
            int port = path.port(hop);
            TxTimes times = ports.times[port];
            if (hop >= path.forwardHops()) {
                last += times.of(state.sizes.ack) + ports.delay[port];
                continue;
            }
            if (frames > 1) {
                first += times.of(full);
                if (!spray || hop == 0 || hop == path.forwardHops() - 1) {
                    longest = Math.max(longest, times.of(full));
                }
                last = Math.max(last, first + (frames - 2) * longest);
            }
            last += times.of(rest) + ports.delay[port];
            first += ports.delay[port];
        }
        return last;
    }
}
