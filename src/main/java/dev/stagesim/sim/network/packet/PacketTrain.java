package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * One flow whose frames are under way as a train, and the times of all of them.
 *
 * <p>A frame starts on a cable when it is there and the one before has left, and at its host when the window allows. As
 * long as no two frames wait at a port (the shorter last one may, for the one before it) nothing is marked, paused or
 * drawn, and only the end and the sums of the ports are left to tell.
 */
final class PacketTrain {
    private static final long MAX_KEPT_ACKS = 1 << 24;

    private final State state;
    private final Ports ports;
    private final Flows flows;
    final FlowPath path;

    int flow;
    long start;
    /** What the flow carries, which its slot may have forgotten when others of its round still pass. */
    int source;

    int destination;
    int sourcePort;
    long bytes;
    long window;

    /** Whether its port's list has the flow. */
    boolean isQueued;
    /** Its number in the round that it is a part of, and whether it is over there. */
    int number;

    boolean isCompleted;

    /** When the last acknowledgement starts on the last cable, and arrives. */
    long lastLeg;

    long end;
    /** Whether all times are known, and whether the event of the last leg is over. */
    boolean isComputed;

    boolean isOnLastLeg;

    /** By hop: when the port is free again, when the last frame started there, and for how long frames waited. */
    private long[] freeAt = new long[8];

    private long[] startedAt = new long[8];
    private long[] waited = new long[8];
    /** When the last acknowledgements arrive, by frame number modulo the length. */
    private long[] acknowledged = new long[64];

    PacketTrain(State state) {
        this.state = state;
        ports = state.ports;
        flows = state.flows;
        path = new FlowPath(state);
    }

    /** Makes it the flight of a flow whose way was found, from now on. */
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

    /** Works all times out; returns whether nothing waits that would be seen. */
    boolean compute() {
        isComputed = true;
        end = simulate(Long.MAX_VALUE);
        lastLeg = startedAt[path.hops() - 1];
        return end >= 0;
    }

    /** When the last acknowledgement before {@code time} was back, or the start when none was. */
    long lastAckBefore(long time) {
        isComputed = false;
        return Math.max(start, simulate(time));
    }

    /** When the last acknowledgement before {@code limit} is back; -1 when there is none, or queues would form. */
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
            long back = traverse(leaves, size);
            if (back < 0) {
                return -1;
            }
            if (back >= limit) {
                return last;
            }
            last = back;
            acknowledged[(int) (frame % acknowledged.length)] = back;
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

    /** Takes a frame there and its acknowledgement back; when that arrives, or -1 when two would wait at a port. */
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
     * Whether a sample could see a frame that waits from one time to another.
     *
     * <p>A sample that was planned before the frame left for here comes first at its arrival, and before it goes on.
     */
    private boolean isSampled(long from, long to) {
        if (state.spec.monitor().isEmpty()) {
            return false;
        }
        PacketSpec.Monitor monitor = state.spec.monitor().get();
        long since = to - monitor.startNs();
        return since >= 0 && to - since % monitor.periodNs() >= from;
    }

    /** Whether all frames of another flow pass at the very times of this one's. */
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

    /** Adds the frames to the sums of the ports on the way, and to the events that were left out. */
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
