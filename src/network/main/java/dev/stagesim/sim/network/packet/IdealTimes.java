package dev.stagesim.sim.network.packet;

import dev.stagesim.sim.network.packet.state.FlowPath;
import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.topology.Ports;
import dev.stagesim.sim.network.packet.topology.TxTimes;

/**
 * Duration of a message on its path through an empty network.
 *
 * <p>All frames cross every cable in order; the acknowledgement of the last frame returns without queueing. With packet
 * spraying, frames share only the first and the last cable. Windows are not limited, so a window that is too small
 * shows up as slowdown.
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

    /** Duration in ns from the start of a flow to the arrival of the last acknowledgement, or 0 without a path. */
    long of(int flow) {
        if (!path.find(flow, flows.port[flow])) {
            return 0;
        }
        long bytes = flows.bytes[flow];
        int payload = state.spec.transport().payload();
        long frames = Math.max(1, (bytes + payload - 1) / payload);
        int full = payload + state.sizes.dataHeaders;
        int rest = (int) (bytes - (frames - 1) * payload) + state.sizes.dataHeaders;
        // Progress of the first frame (if full), longest transmission time of a frame, and progress of the last frame.
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
