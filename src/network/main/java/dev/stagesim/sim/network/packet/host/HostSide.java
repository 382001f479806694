package dev.stagesim.sim.network.packet.host;

import dev.stagesim.sim.network.packet.fastpath.FlowFastPath;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.FrameSizes;
import dev.stagesim.sim.network.packet.state.Packets;
import dev.stagesim.sim.network.packet.state.RateControl;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.TracedFrame;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.switching.FrameTracer;
import dev.stagesim.sim.network.packet.switching.Wire;
import dev.stagesim.sim.network.packet.topology.Ports;
import dev.stagesim.sim.network.packet.topology.TxTimes;
import java.util.Arrays;

/**
 * Network cards of the hosts. The flows of a port share it round robin, frame by frame; each is limited by its window
 * and its rate. Receivers acknowledge data and report gaps with a NACK (go-back-N).
 */
public final class HostSide {
    private static final int NACK_INTERVAL_NS = 500_000;
    private static final int DATA_QUEUE = 3;

    private final State state;
    private final Wire wire;
    private final Ports ports;
    private final Packets packets;
    private final Flows flows;
    private final TransportSpec transport;
    private final FrameTracer tracer;
    private final FlowQueues queues;
    private final RateControl control;
    private final Completion completion;
    private final Stalls stalls;
    private final FlowFastPath fastPath;
    private final boolean asReference;
    private final boolean stamped;
    private final boolean spray;
    private final boolean forwarding;
    private final Reordering reordering;
    private final CnpScheduler notices;

    /** Receives the completion of flows. */
    public interface Completion {
        void complete(int flow);
    }

    public HostSide(
            State state,
            Wire wire,
            FrameTracer tracer,
            FlowQueues queues,
            RateControl control,
            FlowFastPath fastPath,
            Completion done) {
        this.state = state;
        this.wire = wire;
        this.tracer = tracer;
        this.queues = queues;
        this.control = control;
        this.completion = done;
        ports = state.ports;
        packets = state.packets;
        flows = state.flows;
        transport = state.spec.transport();
        asReference = state.spec.asReference();
        stamped = !asReference && state.spec.congestion().carriesTimestamp();
        stalls = new Stalls(state);
        spray = state.spec.paths().spray();
        forwarding = state.spec.paths().forwarding();
        reordering = new Reordering(flows, transport.payload());
        notices = new CnpScheduler(state.spec.congestion());
        this.fastPath = fastPath;
    }

    /** Starts a flow that has been set up. */
    public void start(int flow) {
        int port = begin(flow);
        if (!fastPath.tryStart(flow, port, state.counters.openFlows++)) {
            enter(flow);
        }
    }

    /** Restarts a flow of a replayed busy period, so that the remaining flows of the period meet it. */
    public void restart(int flow) {
        begin(flow);
        state.counters.openFlows++;
        enter(flow);
    }

    /** Adds a flow to the list of its port, and sends a frame if the port is free. */
    public void enter(int flow) {
        queues.add(flows.port[flow], flow);
        attempt(flows.port[flow]);
    }

    private int begin(int flow) {
        int port = choosePort(flow);
        flows.rate[flow] = ports.rate[port];
        flows.maxRate[flow] = ports.rate[port];
        flows.nextAllowed[flow] = state.now;
        flows.active[flow] = true;
        control.start(flow);
        notices.start(flow);
        if (spray) {
            reordering.start(flow);
        }
        return port;
    }

    /** Completes a flow that was simulated as a train. */
    public void completeTrain(int flow) {
        int port = flows.port[flow];
        fastPath.complete(flow);
        flows.nextByte[flow] = flows.bytes[flow];
        flows.acked[flow] = flows.bytes[flow];
        control.complete(flow);
        state.counters.openFlows--;
        completion.complete(flow);
        flows.active[flow] = false;
        queues.changed(flow);
        attempt(port);
    }

    /** Records the last acknowledgement of a flow that is simulated as a train. */
    public void noteProgress(int flow) {
        flows.progressAt[flow] = fastPath.lastAckBeforeNow(flow);
    }

    /** Leaves the fast path: continues all trains frame by frame. */
    public void leaveFastPath() {
        fastPath.fallBack();
    }

    /** Sends the first frame of a flow that already had its turn when it started. */
    public void sendFirst(int flow) {
        sendData(flows.port[flow], flow);
    }

    private int choosePort(int flow) {
        int port = state.choice.fromHost(flow, true);
        if (port == Ports.NONE) {
            // The last path has failed. The flow stays at a port of its host until its retries are used up.
            port = ports.ofNode[flows.source[flow]][0];
        }
        flows.port[flow] = port;
        return port;
    }

    /** Adds a flow to the list of a newly chosen port, after a cable failure. */
    public void reassign(int flow) {
        choosePort(flow);
        enter(flow);
    }

    /** Sends the next frame of a port if the port is free. */
    public void attempt(int port) {
        if (!ports.up[port] || (ports.queueHead[port] == Packets.NONE && queues.isEmpty(port))) {
            return;
        }
        if (wire.isBusy(port)) {
            return;
        }
        if (ports.queueHead[port] != Packets.NONE && (transport.acksBeatPause() || !ports.paused[port])) {
            int packet = wire.dequeue(port);
            if (tracer.active) {
                tracer.frame(TracedFrame.Event.DEQUEUED, port, 0, 0, packet);
            }
            wire.transmit(port, packet, ports.queueHead[port] != Packets.NONE || !queues.isEmpty(port));
            return;
        }
        int flow = queues.choose(port, state.now, ports.paused[port]);
        if (flow == Flows.NONE) {
            queues.planWake(port);
        } else {
            sendData(port, flow);
        }
    }

    private void sendData(int port, int flow) {
        long first = flows.nextByte[flow];
        int payload = (int) Math.min(transport.payload(), flows.bytes[flow] - first);
        int size = payload + state.sizes.dataHeaders;
        int packet = packets.take(Packets.DATA, flow, size, first);
        flows.references[flow]++;
        flows.nextByte[flow] = first + payload;
        flows.lastSize[flow] = size;
        if (stamped) {
            packets.carried[packet] = state.now;
        }
        if (tracer.active) {
            tracer.frame(TracedFrame.Event.DEQUEUED, port, DATA_QUEUE, 0, packet);
        }
        wire.transmit(port, packet, true);
        long rate = flows.rate[flow];
        long gap = rate == ports.rate[port] || !transport.pacedByRate()
                ? ports.times[port].of(size)
                : TxTimes.of(size, rate);
        flows.nextAllowed[flow] = state.now + gap;
    }

    /** Handles a frame, other than a pause, that arrived at {@code port}. */
    public void arrive(int port, int packet) {
        if (tracer.active) {
            tracer.frame(TracedFrame.Event.RECEIVED, port, 0, 0, packet);
        }
        boolean isData = packets.kind(packet) == Packets.DATA;
        if (forwarding && isForAnother(ports.node[port], packets.flow(packet), isData)) {
            forward(ports.node[port], packet, isData);
        } else if (isData) {
            receive(port, packet);
        } else {
            acknowledge(packet);
        }
    }

    private boolean isForAnother(int host, int flow, boolean isData) {
        return host != (isData ? flows.destination[flow] : flows.source[flow]);
    }

    /** Forwards a frame for another host. It queues with the acknowledgements, before the host's own data. */
    private void forward(int host, int packet, boolean isData) {
        int out = state.choice.fromHost(host, packets.flow(packet), isData);
        if (out == Ports.NONE) {
            state.counters.lost++;
            discard(packet);
        } else {
            enqueue(out, packet);
        }
    }

    private void receive(int port, int packet) {
        int flow = packets.flow(packet);
        if (stalls.active) {
            stall(port, flow);
        }
        if (!asReference && !flows.active[flow]) {
            discard(packet);
            return;
        }
        int answer = check(flow, packets.sequence(packet), packets.size(packet) - state.sizes.dataHeaders);
        if (answer == Packets.NONE) {
            discard(packet);
            return;
        }
        int out = state.choice.fromHost(flow, false);
        if (out == Ports.NONE) {
            discard(packet);
            return;
        }
        packets.answer(packet, answer, state.sizes.ack, flows.expected[flow]);
        if (notices.isDelaying()) {
            packets.setMark(packet, notices.echo(flow, packets.isMarked(packet), state.now));
        }
        enqueue(out, packet);
    }

    private void enqueue(int port, int packet) {
        if (tracer.active) {
            tracer.frame(TracedFrame.Event.ENQUEUED, port, 0, 0, packet);
        }
        wire.enqueue(port, packet);
        attempt(port);
    }

    private void discard(int packet) {
        int flow = packets.flow(packet);
        packets.release(packet);
        flows.release(flow);
    }

    /** Processes received data. Returns the kind of the answer, or none. */
    private int check(int flow, long first, int bytes) {
        if (spray) {
            reordering.take(flow, first);
            return Packets.ACK;
        }
        long expected = flows.expected[flow];
        if (first == expected) {
            long reached = expected + bytes;
            flows.expected[flow] = reached;
            boolean answered = reached >= transport.ackFrom()
                    || (transport.chunk() > 0 && reached % transport.chunk() == 0)
                    || (!asReference && reached == flows.bytes[flow]);
            return answered ? Packets.ACK : Packets.NONE;
        }
        if (first < expected) {
            return asReference ? Packets.NONE : Packets.ACK;
        }
        if (state.now < flows.nextNackAt[flow] && flows.nackedByte[flow] == expected) {
            return Packets.NONE;
        }
        flows.nextNackAt[flow] = state.now + NACK_INTERVAL_NS;
        flows.nackedByte[flow] = expected;
        if (transport.backToChunk()) {
            flows.expected[flow] = expected - expected % transport.chunk();
        }
        return Packets.NACK;
    }

    private void acknowledge(int packet) {
        int flow = packets.flow(packet);
        if (!flows.active[flow]) {
            discard(packet);
            return;
        }
        long reached = packets.sequence(packet);
        if (transport.backToChunk() && (asReference || reached < flows.bytes[flow])) {
            reached -= reached % transport.chunk();
        }
        if (reached > flows.acked[flow]) {
            flows.acked[flow] = reached;
            flows.progressAt[flow] = state.now;
            flows.timeouts[flow] = 0;
        }
        if (flows.acked[flow] >= flows.bytes[flow]) {
            control.complete(flow);
            fastPath.busyPeriods.end(flow, packets.ingress(packet));
            state.counters.openFlows--;
            completion.complete(flow);
            flows.active[flow] = false;
        }
        if (packets.kind(packet) == Packets.NACK) {
            flows.nextByte[flow] = flows.acked[flow];
            state.counters.retransmissions++;
        } else if (flows.nextByte[flow] < flows.acked[flow]) {
            flows.nextByte[flow] = flows.acked[flow];
        }
        control.acknowledged(flow, packet);
        queues.changed(flow);
        int port = flows.port[flow];
        discard(packet);
        attempt(port);
        if (state.counters.openFlows == 0) {
            fastPath.busyPeriods.finish();
        }
    }

    /** Handles a pause or resume frame that arrived at {@code port}. */
    public void pause(int port, int packet) {
        boolean stop = packets.kind(packet) == Packets.PAUSE;
        if (tracer.active) {
            tracer.frame(TracedFrame.Event.RECEIVED, port, 0, 0, packet);
        }
        packets.release(packet);
        ports.pause(port, stop, state.now);
        if (!stop) {
            attempt(port);
        }
    }

    /** Drops the queued acknowledgements of a port after a cable failure. */
    public void takeDown(int port) {
        while (ports.queueHead[port] != Packets.NONE) {
            int packet = wire.dequeue(port);
            if (packets.kind(packet) >= Packets.PAUSE) {
                packets.release(packet);
            } else {
                discard(packet);
            }
        }
    }

    /**
     * Pauses the sender at the far end of the ingress port. The reference pauses the far end of the port that the
     * answers leave by.
     */
    private void stall(int ingress, int flow) {
        int answers = asReference ? state.choice.fromHost(flow, false) : ingress;
        int port = answers == Ports.NONE ? ingress : answers;
        if (stalls.begin(ports.node[port])) {
            sendPause(port, state.spec.switches().pauses() ? Packets.PAUSE : Packets.RESUME);
            state.heap.plan(state.now + Stalls.LENGTH, State.STALL_END | port);
        }
    }

    /** Ends the stall of the host at {@code port}. */
    public void endStall(int port) {
        sendPause(port, Packets.RESUME);
        state.heap.plan(state.now + Stalls.REST, State.STALL_READY | port);
    }

    /** Allows the next stall of the host at {@code port}. */
    public void readyToStall(int port) {
        stalls.ready(ports.node[port]);
    }

    private void sendPause(int port, int kind) {
        state.random.skip();
        state.counters.pauses++;
        int packet = packets.take(kind, Flows.NONE, FrameSizes.PAUSE, 0);
        enqueue(port, packet);
    }

    /** Short stalls of hosts that cannot process incoming data at line rate. */
    private static final class Stalls {
        /** Length of a stall in ns. */
        static final long LENGTH = 10_000;

        /** Minimum time between the end of a stall and the next one, in ns. */
        static final long REST = 1_000_000;

        /** True if hosts stall at all. */
        final boolean active;

        private final int[] left;
        private final boolean[] sensitive;

        Stalls(State state) {
            active = state.spec.transport().stalls() > 0;
            left = new int[active ? state.spec.topology().nodes() : 0];
            sensitive = new boolean[left.length];
            Arrays.fill(left, state.spec.transport().stalls());
            Arrays.fill(sensitive, true);
        }

        /** True if a host on which data arrives stalls now. */
        boolean begin(int host) {
            if (!sensitive[host]) {
                return false;
            }
            sensitive[host] = false;
            return left[host]-- > 0;
        }

        void ready(int host) {
            sensitive[host] = true;
        }
    }
}
