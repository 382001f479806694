package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/** The ports that frames of a flow leave by on their way to the destination, and its acknowledgements on theirs back. */
final class FlowPath {
    private final State state;
    private final Ports ports;
    private final Flows flows;

    private int[] port = new int[8];
    private int hops;
    private int forwardHops;

    FlowPath(State state) {
        this.state = state;
        ports = state.ports;
        flows = state.flows;
    }

    /** Ports on the way. */
    int hops() {
        return hops;
    }

    /** How many of them lead to the destination; the others lead back. */
    int forwardHops() {
        return forwardHops;
    }

    int port(int hop) {
        return port[hop];
    }

    int[] ports() {
        return Arrays.copyOf(port, hops);
    }

    /** Follows a flow that leaves its source by {@code first}; returns whether its acknowledgements come back. */
    boolean find(int flow, int first) {
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
