package dev.stagesim.sim.network.packet;

import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.Packets;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.topology.Ports;
import java.util.ArrayList;
import java.util.List;

/** Finds the event that each incomplete flow waits for when no event is left. */
final class IncompleteFlows {
    private final State state;
    private final Flows flows;
    private final Ports ports;
    private final FlowQueues queues;

    IncompleteFlows(State state, FlowQueues queues) {
        this.state = state;
        this.flows = state.flows;
        this.ports = state.ports;
        this.queues = queues;
    }

    List<IncompleteFlow> list() {
        List<IncompleteFlow> open = new ArrayList<>();
        for (int flow = 0; flow < flows.used(); flow++) {
            if (flows.references[flow] > 0 && flows.active[flow]) {
                open.add(new IncompleteFlow(
                        flows.source[flow],
                        flows.destination[flow],
                        flows.bytes[flow],
                        flows.nextByte[flow],
                        flows.expected[flow],
                        flows.acked[flow],
                        reason(flow)));
            }
        }
        return open;
    }

    private String reason(int flow) {
        int port = flows.port[flow];
        long bytes = flows.bytes[flow];
        if (state.routes.towards(flows.source[flow], flows.destination[flow]).length == 0) {
            return "a path to host " + flows.destination[flow] + ", but none is left";
        }
        if (!ports.up[port]) {
            return "its cable, which is down";
        }
        if (flows.expected[flow] >= bytes) {
            return flows.expected[flow] >= state.spec.transport().ackFrom()
                    ? "an acknowledgement of the end, which was lost and is not retransmitted"
                    : "an acknowledgement of the end, which is sent only from "
                            + state.spec.transport().ackFrom() + " bytes on";
        }
        if (ports.paused[port]) {
            return "the end of a pause of port " + ports.number[port] + " by node " + ports.node[port ^ 1] + " since "
                    + ports.pausedSince[port] + " ns";
        }
        int pausedPort = pausedPortWithFrames(flow);
        if (pausedPort != Ports.NONE) {
            return "the end of a pause of port " + ports.number[pausedPort] + " of switch " + ports.node[pausedPort]
                    + ", where its frames are queued";
        }
        if (flows.nextByte[flow] >= bytes || queues.isWindowFull(flow)) {
            return "byte " + flows.expected[flow] + ", which was lost and is not retransmitted";
        }
        return "its turn at port " + ports.number[port];
    }

    /** The paused switch port that queues frames of a flow, or none. */
    private int pausedPortWithFrames(int flow) {
        for (int port = 0; port < ports.count; port++) {
            if (!ports.onSwitch[port] || !ports.paused[port]) {
                continue;
            }
            for (int packet = ports.queueHead[port]; packet != Packets.NONE; packet = state.packets.next(packet)) {
                if (state.packets.flow(packet) == flow) {
                    return port;
                }
            }
        }
        return Ports.NONE;
    }
}
