package dev.stagesim.sim.network.packet.fastpath;

import dev.stagesim.sim.network.packet.state.FlowPath;
import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.topology.Ports;
import java.util.Arrays;

/**
 * One flow, simulated analytically as a train of frames, with the times of all frames.
 *
 * <p>A frame starts on a cable once it has arrived and the previous frame has left. At its host it also waits for the
 * window. As long as no two frames queue at a port, there are no marks, pauses or random draws, so only the end time
 * and the port counters matter. The shorter last frame may queue after its predecessor.
 */
public final class PacketTrain {
    private static final long MAX_KEPT_ACKS = 1 << 24;

    private final State state;
    private final Ports ports;
    private final Flows flows;
    final FlowPath path;

    int flow;
    long start;
    /** Data of the flow. The slot of the flow may be reused before the busy period ends. */
    public int source;

    public int destination;
    public int sourcePort;
    public long bytes;
    long window;

    /** True if the flow is in the list of its port. */
    boolean isQueued;
    /** Number of the flow in its busy period, and whether it has completed there. */
    int number;

    boolean isCompleted;

    /** Start of the last acknowledgement on the last cable, and its arrival. */
    long lastLeg;

    long end;
    /** True if all times are computed, and if the last-leg event has been handled. */
    boolean isComputed;

    boolean isOnLastLeg;

    /** By hop: time when the port is free again, start of the last frame, and queueing time of the frames. */
    private long[] freeAt = new long[8];

    private long[] startedAt = new long[8];
    private long[] waited = new long[8];
    /** Arrival times of the last acknowledgements, by frame number modulo the length. */
    private long[] acknowledged = new long[64];

    PacketTrain(State state) {
        this.state = state;
        ports = state.ports;
        flows = state.flows;
        path = new FlowPath(state);
    }

    /** Assigns the train to a flow with a computed path, starting now. */
    void assign(int assigned) {
        flow = assigned;
        start = state.now;
        source = flows.source[assigned];
        destination = flows.destination[assigned];
        sourcePort = flows.sourcePort[assigned];
        bytes = flows.bytes[assigned];
        window = flows.window[assigned];
        isQueued = false;
        isCompleted = false;
        isComputed = false;
        isOnLastLeg = false;
    }

    /** Computes all times. Returns false if frames would queue. */
    boolean compute() {
        isComputed = true;
        end = simulate(Long.MAX_VALUE);
        lastLeg = startedAt[path.hops() - 1];
        return end >= 0;
    }

    /** Returns the arrival time of the last acknowledgement before {@code time}, or the start if there is none. */
    long lastAckBefore(long time) {
        isComputed = false;
        return Math.max(start, simulate(time));
    }

    /**
     * Returns the arrival time of the last acknowledgement before {@code limit}, or -1 if there is none or frames would
     * queue.
     */
    private long simulate(long limit) {
        int hops = path.hops();
        long bytes = flows.bytes[flow];
        int payload = state.spec.transport().payload();
        long window = flows.window[flow];
        long frames = (bytes + payload - 1) / payload;
        if (!makeRoom(hops, window == 0 ? 1 : Math.min(frames, window / payload + 2))) {
            return -1;
        }
        Arrays.fill(freeAt, 0, hops, start);
        Arrays.fill(startedAt, 0, hops, -1);
        Arrays.fill(waited, 0, hops, 0);
        long last = -1;
        for (long frame = 0; frame < frames; frame++) {
            long first = frame * payload;
            long leaves = freeAt[0];
            if (window > 0 && first >= window) {
                leaves = Math.max(leaves, acknowledged[(int) ((first - window) / payload % acknowledged.length)]);
            }
            int size = (int) Math.min(payload, bytes - first) + state.sizes.dataHeaders;
            long ackTime = traverse(leaves, size);
            if (ackTime < 0) {
                return -1;
            }
            if (ackTime >= limit) {
                return last;
            }
            last = ackTime;
            acknowledged[(int) (frame % acknowledged.length)] = ackTime;
        }
        return last;
    }

    private boolean makeRoom(int hops, long kept) {
        if (kept > acknowledged.length) {
            acknowledged = new long[(int) Math.min(MAX_KEPT_ACKS, Long.highestOneBit(kept) * 2)];
        }
        if (hops > freeAt.length) {
            freeAt = new long[2 * hops];
            startedAt = new long[2 * hops];
            waited = new long[2 * hops];
        }
        return kept <= acknowledged.length;
    }

    /**
     * Sends a frame and its acknowledgement. Returns the arrival time of the latter, or -1 if two frames would queue.
     */
    private long traverse(long leaves, int size) {
        long at = leaves;
        for (int hop = 0; hop < path.hops(); hop++) {
            int port = path.port(hop);
            if (hop > 0 && freeAt[hop] >= at) {
                if (startedAt[hop] >= at || (ports.onSwitch[port] && isSampled(at, freeAt[hop]))) {
                    return -1;
                }
                waited[hop] += freeAt[hop] - at;
                at = freeAt[hop];
            }
            startedAt[hop] = at;
            long left = at + ports.times[port].of(hop < path.forwardHops() ? size : state.sizes.ack);
            freeAt[hop] = left;
            at = left + ports.delay[port];
        }
        return at;
    }

    /**
     * True if a queue sample could see a frame that waits between two times.
     *
     * <p>A sample scheduled before the frame left the previous hop precedes both the arrival and the departure of the
     * frame.
     */
    private boolean isSampled(long from, long to) {
        if (state.spec.monitor().isEmpty()) {
            return false;
        }
        PacketSpec.Monitor monitor = state.spec.monitor().get();
        long since = to - monitor.startNs();
        return since >= 0 && to - since % monitor.periodNs() >= from;
    }

    /** True if the frames of another flow have exactly the same times. */
    boolean hasSameTimes(PacketTrain other) {
        if (start != other.start
                || flows.bytes[flow] != flows.bytes[other.flow]
                || flows.window[flow] != flows.window[other.flow]
                || path.hops() != other.path.hops()
                || path.forwardHops() != other.path.forwardHops()) {
            return false;
        }
        for (int hop = 0; hop < path.hops(); hop++) {
            int mine = path.port(hop);
            int otherPort = other.path.port(hop);
            if (ports.rate[mine] != ports.rate[otherPort] || ports.delay[mine] != ports.delay[otherPort]) {
                return false;
            }
        }
        return true;
    }

    /** Adds the frames to the counters of the ports on the path, and to the number of skipped events. */
    void addToCounters() {
        if (!isComputed) {
            compute();
        }
        long bytes = flows.bytes[flow];
        int payload = state.spec.transport().payload();
        long full = bytes / payload;
        int rest = (int) (bytes % payload);
        int headers = state.sizes.dataHeaders;
        for (int hop = 0; hop < path.hops(); hop++) {
            int port = path.port(hop);
            ports.waitedNs[port] += ports.onSwitch[port] ? waited[hop] : 0;
            if (hop < path.forwardHops()) {
                add(port, full, payload + headers, ports.onSwitch[port]);
                add(port, rest > 0 ? 1 : 0, rest + headers, ports.onSwitch[port]);
            } else {
                add(port, full + (rest > 0 ? 1 : 0), state.sizes.ack, true);
            }
        }
        state.counters.skippedEvents += 2L * path.hops() * (full + (rest > 0 ? 1 : 0)) - 2;
    }

    private void add(int port, long frames, int size, boolean isQueued) {
        ports.sentFrames[port] += frames;
        ports.sentBytes[port] += frames * size;
        ports.busyNs[port] += frames * ports.times[port].of(size);
        if (frames > 0 && isQueued) {
            ports.maxWaiting[port] = Math.max(ports.maxWaiting[port], size);
        }
    }
}
