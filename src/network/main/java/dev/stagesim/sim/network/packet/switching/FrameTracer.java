package dev.stagesim.sim.network.packet.switching;

import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.Packets;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.TracedFrame;
import dev.stagesim.sim.network.packet.topology.Ports;

/** Reports frames at traced nodes to the listener. */
public final class FrameTracer {
    private static final int ALL_NODES = 0xffffffff;
    private static final int CABLES = 10 << 24;
    private static final int PER_BYTE = 254;

    /** True if any node is traced; callers check it first. */
    public final boolean active;

    private final State state;
    private final boolean[] traced;

    public FrameTracer(State state) {
        this.state = state;
        traced = new boolean[state.spec.topology().nodes()];
        for (int node : state.spec.traced()) {
            traced[node] = true;
        }
        active = !state.spec.traced().isEmpty();
    }

    public void frame(TracedFrame.Event event, int port, int queue, int queueBytes, int packet) {
        if (!traced[state.ports.node[port]]) {
            return;
        }
        Packets packets = state.packets;
        int kind = packets.kind(packet);
        int flow = packets.flow(packet);
        boolean data = kind == Packets.DATA;
        boolean pause = kind == Packets.PAUSE || kind == Packets.RESUME;
        if (pause) {
            pause(event, port, queue, queueBytes, packet);
            return;
        }
        int source = State.address(state.flows.source[flow]);
        int destination = State.address(state.flows.destination[flow]);
        int flowPort = state.flows.sourcePort[flow];
        state.listener.traced(new TracedFrame(
                event,
                state.now,
                place(port, queue, queueBytes),
                TracedFrame.Kind.values()[kind],
                data
                        ? new TracedFrame.Ends(source, destination, flowPort, Flows.DATA_PORT)
                        : new TracedFrame.Ends(destination, source, Flows.DATA_PORT, flowPort),
                packets.size(packet),
                data ? packets.isMarked(packet) : packets.isAnswerMarked(packet),
                packets.sequence(packet),
                state.spec.congestion().carriesTimestamp() ? packets.carried[packet] : 0,
                data ? packets.size(packet) - state.sizes.dataHeaders : 0,
                packets.isMarked(packet)));
    }

    /** Reports a pause frame. Its source is the address of the sending port, its destination the broadcast address. */
    private void pause(TracedFrame.Event event, int port, int queue, int queueBytes, int packet) {
        Packets packets = state.packets;
        int maker = event == TracedFrame.Event.RECEIVED ? port ^ 1 : port;
        boolean stops = packets.kind(packet) == Packets.PAUSE;
        state.listener.traced(new TracedFrame(
                event,
                state.now,
                place(port, queue, queueBytes),
                TracedFrame.Kind.PAUSE,
                new TracedFrame.Ends(address(maker), ALL_NODES, 0, 0),
                packets.size(packet),
                false,
                stops ? state.spec.switches().pauseMicros() : 0,
                0,
                (int) packets.sequence(packet),
                false));
    }

    private TracedFrame.Place place(int port, int queue, int queueBytes) {
        Ports ports = state.ports;
        return new TracedFrame.Place(ports.node[port], ports.onSwitch[port], ports.number[port], queue, queueBytes);
    }

    /**
     * Address of a port. The first port of a host has the host's address; other ports have the address of their cable
     * end.
     */
    private int address(int port) {
        Ports ports = state.ports;
        if (!ports.onSwitch[port] && ports.number[port] == 1) {
            return State.address(ports.node[port]);
        }
        int cable = port >> 1;
        return CABLES | (cable / PER_BYTE + 1) << 16 | (cable % PER_BYTE + 1) << 8 | (port & 1) + 1;
    }
}
