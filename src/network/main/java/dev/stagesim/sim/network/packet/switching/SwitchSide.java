package dev.stagesim.sim.network.packet.switching;

import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.FrameSizes;
import dev.stagesim.sim.network.packet.state.Packets;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.SwitchSpec;
import dev.stagesim.sim.network.packet.state.Telemetry;
import dev.stagesim.sim.network.packet.state.TracedFrame;
import dev.stagesim.sim.network.packet.topology.Ports;
import java.math.BigInteger;

/**
 * Switches: admission to a shared buffer, PFC pauses with a dynamic threshold that falls as the buffer fills, ECN marks
 * (RED), and store-and-forward queues.
 *
 * <p>As in the reference, the arithmetic of the shared buffer uses 32-bit unsigned numbers.
 */
public final class SwitchSide {
    private static final int RESERVE = 4096;
    private static final int RESUME_MARGIN = 3072;
    private static final int FIRST_SHIFT = 3;
    private static final int DATA_QUEUE = 3;
    private static final long LOW = 0xffffffffL;

    private final State state;
    private final Wire wire;
    private final Ports ports;
    private final Packets packets;
    private final Flows flows;
    private final FrameTracer tracer;
    private final Telemetry telemetry;
    private final boolean marking;
    private final int pauseKind;

    /** Buffered bytes by port of arrival. */
    private final int[] ingress;
    /** Part of {@link #ingress} in the headroom. */
    private final int[] headroomUsed;
    /** Queued bytes by port of departure. */
    private final int[] egress;

    private final int[] headroom;
    private final int[] shift;
    private final boolean[] pausing;
    private final long[] markMinBytes;
    private final long[] markMaxBytes;
    private final double[] markProbability;
    /** Size of the shared buffer by node. */
    private final int[] pool;
    /** Used bytes of the shared buffer by node. */
    private final int[] shared;

    public SwitchSide(State state, Wire wire, FrameTracer tracer, Telemetry telemetry) {
        this.state = state;
        this.wire = wire;
        this.tracer = tracer;
        this.telemetry = telemetry;
        ports = state.ports;
        packets = state.packets;
        flows = state.flows;
        SwitchSpec spec = state.spec.switches();
        marking = spec.marking();
        pauseKind = spec.pauses() ? Packets.PAUSE : Packets.RESUME;
        ingress = new int[ports.count];
        headroomUsed = new int[ports.count];
        egress = new int[ports.count];
        headroom = new int[ports.count];
        shift = new int[ports.count];
        pausing = new boolean[ports.count];
        markMinBytes = new long[ports.count];
        markMaxBytes = new long[ports.count];
        markProbability = new double[ports.count];
        pool = new int[ports.ofNode.length];
        shared = new int[ports.ofNode.length];
        setUp(spec);
    }

    private void setUp(SwitchSpec spec) {
        int host = 0;
        while (host < ports.ofNode.length - 1 && isSwitch(host)) {
            host++;
        }
        long hostRate = ports.ofNode[host].length == 0 ? Long.MAX_VALUE : ports.rate[ports.ofNode[host][0]];
        for (int port = 0; port < ports.count; port++) {
            if (!ports.onSwitch[port]) {
                continue;
            }
            headroom[port] = headroom(spec, ports.rate[port], ports.delay[port]);
            shift[port] = FIRST_SHIFT;
            for (long rate = ports.rate[port]; rate > hostRate && shift[port] > 0; rate /= 2) {
                shift[port]--;
            }
            int at = port;
            spec.marksAt(ports.rate[port]).ifPresent(marks -> {
                markMinBytes[at] = marks.minBytes();
                markMaxBytes[at] = marks.maxBytes();
                markProbability[at] = marks.probability();
            });
        }
        for (int node = 0; node < pool.length; node++) {
            pool[node] = (int) spec.bufferBytes();
            for (int port : ports.ofNode[node]) {
                pool[node] -= headroom[port] + RESERVE;
            }
        }
    }

    private boolean isSwitch(int node) {
        return ports.ofNode[node].length > 0 && ports.onSwitch[ports.ofNode[node][0]];
    }

    /** Returns the headroom in bytes. Products overflow as in the reference if it is reproduced. */
    private int headroom(SwitchSpec spec, long rate, long delay) {
        return state.spec.asReference()
                ? (int) (rate * delay / 8 / 1_000_000_000L * spec.headroomFactor())
                : spec.headroom(rate, delay)
                        .min(BigInteger.valueOf(Integer.MAX_VALUE))
                        .intValue();
    }

    private long threshold(int node, int port) {
        return (pool[node] - shared[node]) >>> shift[port] & LOW;
    }

    /** True if single frames up to this size pass through a port without being dropped, marked or paused. */
    public boolean isTransparent(int port, int size) {
        long threshold = threshold(ports.node[port], port);
        boolean isAdmitted = size + headroomUsed[port] <= headroom[port] || size <= threshold;
        return isAdmitted && !pausing[port] && threshold > 0 && ingress[port] == 0 && headroomUsed[port] == 0;
    }

    /** True if two switch ports have equal shares of equal buffers and equal marking thresholds. */
    public boolean areEquivalent(int port, int other) {
        return headroom[port] == headroom[other]
                && shift[port] == shift[other]
                && markMinBytes[port] == markMinBytes[other]
                && markMaxBytes[port] == markMaxBytes[other]
                && markProbability[port] == markProbability[other]
                && pool[ports.node[port]] == pool[ports.node[other]];
    }

    /** Handles a frame that arrived at {@code port}. */
    public void arrive(int port, int packet) {
        if (tracer.active) {
            tracer.frame(TracedFrame.Event.RECEIVED, port, 0, waitingPauses(port), packet);
        }
        int out = state.choice.fromSwitch(
                ports.node[port], packets.flow(packet), packets.kind(packet) == Packets.DATA, packets.sequence(packet));
        int size = packets.size(packet);
        if (out == Ports.NONE) {
            state.counters.lost++;
            drop(packet);
            return;
        }
        if (!admit(port, size)) {
            drop(packet);
            return;
        }
        egress[out] += size;
        int node = ports.node[port];
        if (!pausing[port]
                && (headroomUsed[port] > 0 || Math.max(0, ingress[port] - RESERVE) >= threshold(node, port))) {
            sendPause(port, pauseKind);
            pausing[port] = true;
        }
        if (tracer.active) {
            tracer.frame(TracedFrame.Event.ENQUEUED, out, DATA_QUEUE, waitingData(out), packet);
        }
        wire.enqueue(out, packet);
        attempt(out);
    }

    private void drop(int packet) {
        int flow = packets.flow(packet);
        packets.release(packet);
        flows.release(flow);
    }

    /** Counts a frame as buffered, or returns false if the buffer is full. */
    private boolean admit(int port, int size) {
        int node = ports.node[port];
        long threshold = threshold(node, port);
        int used = Math.max(0, ingress[port] - RESERVE);
        if (size + headroomUsed[port] > headroom[port] && size + used > threshold) {
            state.counters.dropped++;
            ports.drops[port]++;
            state.listener.dropped(state.now, node, ports.number[port]);
            return false;
        }
        int total = ingress[port] + size;
        if (total <= RESERVE) {
            ingress[port] = total;
        } else if (total - RESERVE > threshold) {
            headroomUsed[port] += size;
        } else {
            ingress[port] = total;
            shared[node] += Math.min(size, total - RESERVE);
        }
        return true;
    }

    private void sendPause(int port, int kind) {
        state.random.skip();
        state.counters.pauses++;
        int packet = packets.take(kind, Flows.NONE, FrameSizes.PAUSE, waitingData(port));
        if (tracer.active) {
            tracer.frame(TracedFrame.Event.ENQUEUED, port, 0, waitingPauses(port), packet);
        }
        wire.enqueueUrgent(port, packet);
        attempt(port);
    }

    /** Sends the next frame of a port if the port is free. */
    public void attempt(int port) {
        if (!ports.up[port] || (ports.queueHead[port] == Packets.NONE && ports.urgentHead[port] == Packets.NONE)) {
            return;
        }
        if (wire.isBusy(port)) {
            return;
        }
        if (ports.urgentHead[port] != Packets.NONE) {
            int packet = wire.dequeueUrgent(port);
            leave(port, packet, 0);
        } else if (!ports.paused[port]) {
            int packet = wire.dequeue(port);
            forward(port, packet);
            leave(port, packet, DATA_QUEUE);
        }
    }

    private void leave(int port, int packet, int queue) {
        if (tracer.active) {
            int waiting = queue == 0 ? waitingPauses(port) : waitingData(port);
            tracer.frame(TracedFrame.Event.DEQUEUED, port, queue, waiting, packet);
        }
        telemetry.leave(port, packet);
        wire.transmit(port, packet, ports.queueHead[port] != Packets.NONE || ports.urgentHead[port] != Packets.NONE);
    }

    /** Removes a frame from the buffer, marks it if necessary, and resumes its ingress port if there is room again. */
    private void forward(int port, int packet) {
        int size = packets.size(packet);
        int from = packets.ingress(packet);
        int node = ports.node[port];
        int fromHeadroom = Math.min(headroomUsed[from], size);
        int fromShared = Math.min(size - fromHeadroom, Math.max(0, ingress[from] - RESERVE));
        headroomUsed[from] -= fromHeadroom;
        ingress[from] -= size - fromHeadroom;
        shared[node] -= fromShared;
        egress[port] -= size;
        ports.waitedNs[port] += state.now - packets.arrival(packet);
        if (marking && egress[port] > markMinBytes[port] && isMarked(port)) {
            mark(port, packet);
        }
        if (pausing[from] && headroomUsed[from] == 0) {
            int used = Math.max(0, ingress[from] - RESERVE);
            if (used == 0 || used + RESUME_MARGIN <= threshold(node, from)) {
                sendPause(from, Packets.RESUME);
                pausing[from] = false;
            }
        }
    }

    private boolean isMarked(int port) {
        int queued = egress[port];
        if (queued > markMaxBytes[port]) {
            return true;
        }
        double probability = markProbability[port]
                * (double) (queued - markMinBytes[port])
                / (markMaxBytes[port] - markMinBytes[port]);
        return state.random.draw() < probability;
    }

    private void mark(int port, int packet) {
        if (packets.kind(packet) == Packets.DATA) {
            packets.mark(packet);
            state.counters.marked++;
            ports.marks[port]++;
        } else {
            packets.markAnswer(packet);
        }
    }

    /** Handles a pause or resume frame that arrived at {@code port}. */
    public void pause(int port, int packet) {
        boolean stop = packets.kind(packet) == Packets.PAUSE;
        if (tracer.active) {
            tracer.frame(TracedFrame.Event.RECEIVED, port, 0, waitingPauses(port), packet);
        }
        packets.release(packet);
        ports.pause(port, stop, state.now);
        if (!stop) {
            attempt(port);
        }
    }

    /**
     * Empties the queues of a port after a cable failure. As in the reference, their bytes stay counted as buffered.
     */
    public void takeDown(int port) {
        while (ports.urgentHead[port] != Packets.NONE) {
            packets.release(wire.dequeueUrgent(port));
        }
        while (ports.queueHead[port] != Packets.NONE) {
            drop(wire.dequeue(port));
        }
        ports.pause(port, false, state.now);
    }

    /** Returns the queued bytes of pause frames at a port. */
    private int waitingPauses(int port) {
        return ports.waiting[port] - waitingData(port);
    }

    /** Returns the queued bytes at a port, without pause frames. */
    private int waitingData(int port) {
        int bytes = ports.waiting[port];
        for (int packet = ports.urgentHead[port]; packet != Packets.NONE; packet = packets.next(packet)) {
            bytes -= packets.size(packet);
        }
        return bytes;
    }
}
