package dev.stagesim.sim.network.packet.state;

import dev.stagesim.sim.network.packet.topology.Ports;
import java.util.Arrays;

/**
 * Egress ports of a flow: first of its data on the path to the destination, then of the acknowledgements on the return
 * path.
 */
public final class FlowPath {
    private final State state;
    private final Ports ports;
    private final Flows flows;

    private int[] port = new int[8];
    private int hops;
    private int forwardHops;

    public FlowPath(State state) {
        this.state = state;
        ports = state.ports;
        flows = state.flows;
    }

    /** Number of ports in both directions. */
    public int hops() {
        return hops;
    }

    /** Number of ports on the path to the destination. */
    public int forwardHops() {
        return forwardHops;
    }

    public int port(int hop) {
        return port[hop];
    }

    public int[] ports() {
        return Arrays.copyOf(port, hops);
    }

    /** Follows a flow from the port {@code first}. Returns false if its acknowledgements cannot return. */
    public boolean find(int flow, int first) {
        hops = 0;
        forwardHops = 0;
        int at = first;
        while (true) {
            if (hops == port.length) {
                port = Arrays.copyOf(port, 2 * hops);
            }
            port[hops++] = at;
            int in = at ^ 1;
            if (ports.node[in] == (forwardHops > 0 ? flows.source[flow] : flows.destination[flow])) {
                if (forwardHops > 0) {
                    return true;
                }
                forwardHops = hops;
            }
            boolean isData = forwardHops == 0;
            at = ports.onSwitch[in]
                    ? state.choice.fromSwitch(ports.node[in], flow, isData, 0)
                    : state.choice.fromHost(ports.node[in], flow, isData);
            if (at == Ports.NONE) {
                return false;
            }
        }
    }
}
