package dev.stagesim.sim.network.packet;

/** Hands frames at traced nodes on to the listener. */
final class FrameTracer {
    static final int DATA_PORT = 100;

    /** Whether any node is traced; callers ask before they call. */
    final boolean active;

    private final State state;
    private final boolean[] traced;

    FrameTracer(State state) {
        this.state = state;
        traced = new boolean[state.spec.topology().nodes()];
        for (int node : state.spec.traced()) {
            traced[node] = true;
        }
        active = !state.spec.traced().isEmpty();
    }

    void frame(TracedFrame.Event event, int port, int queue, int queueBytes, int packet) {
        Ports ports = state.ports;
        int node = ports.node[port];
        if (!traced[node]) {
            return;
        }
        Packets packets = state.packets;
        int kind = packets.kind(packet);
        int flow = packets.flow(packet);
        boolean data = kind == Packets.DATA;
        boolean pause = kind == Packets.PAUSE || kind == Packets.RESUME;
        int source = pause ? 0 : State.address(state.flows.source[flow]);
        int destination = pause ? 0 : State.address(state.flows.destination[flow]);
        int flowPort = pause ? 0 : state.flows.sourcePort[flow];
        state.listener.traced(new TracedFrame(
                event,
                state.now,
                node,
                ports.onSwitch[port],
                ports.number[port],
                queue,
                queueBytes,
                pause ? TracedFrame.Kind.PAUSE : TracedFrame.Kind.values()[kind],
                data ? source : destination,
                data ? destination : source,
                packets.size(packet),
                data ? packets.isMarked(packet) : packets.isAnswerMarked(packet),
                data ? flowPort : DATA_PORT,
                data ? DATA_PORT : flowPort,
                packets.sequence(packet),
                packets.sentAt.length == 0 ? 0 : packets.sentAt[packet],
                data ? packets.size(packet) - state.sizes.dataHeaders : 0,
                packets.isMarked(packet)));
    }
}
