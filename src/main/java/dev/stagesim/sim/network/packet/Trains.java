package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * Flights of a whole flow as one event, where nothing can come between.
 *
 * <p>A flow that is alone on an empty network, with nothing else due before it ends, meets no other frame; then the
 * times of all its frames follow from each other: a frame starts on a cable when it is there and the one before has
 * left, and at its host when the window allows. As long as no two frames wait at a port (the shorter last one may, for
 * the one before it) nothing is marked, paused or drawn, and only the end and the sums of the ports are left to tell.
 * Otherwise the flow goes frame by frame as any other.
 */
final class Trains {
    private static final int LARGEST_FRAME = 4096;
    private static final int IGNORED =
            1 << (State.MONITOR >> State.INDEX_BITS) | 1 << (State.RETRANSMIT >> State.INDEX_BITS);

    private final State state;
    private final Ports ports;
    private final Flows flows;
    private final boolean possible;

    /** Ports on the way there and back, and when each is free again. */
    private int[] way = new int[16];

    private long[] freeAt = new long[16];
    /** When the last frame started on each of them, and for how long frames waited there. */
    private long[] startedAt = new long[16];

    private long[] waited = new long[16];
    private int there;
    /** Longest time that a full frame takes to the next node. */
    private long longestLeg;

    private int hops;
    /** When the last acknowledgements arrive, by frame number modulo the length. */
    private long[] acknowledged = new long[64];

    Trains(State state, boolean isTraced) {
        this.state = state;
        this.ports = state.ports;
        this.flows = state.flows;
        CongestionSpec congestion = state.spec.congestion();
        boolean steady = congestion instanceof CongestionSpec.None
                || congestion instanceof CongestionSpec.Dcqcn
                || congestion instanceof CongestionSpec.Dctcp;
        TransportSpec transport = state.spec.transport();
        boolean isLossy = state.spec.lossRate() > 0
                || state.spec.topology().cables().stream().anyMatch(cable -> cable.lossRate() > 0);
        possible = steady
                && !isTraced
                && !isLossy
                && transport.stalls() == 0
                && transport.ackFrom() <= 1
                && !transport.backToChunk()
                && transport.payload() + state.sizes.dataHeaders <= LARGEST_FRAME;
    }

    /** When a flow that starts now, the only one, ends if it may fly; otherwise -1. */
    long end(int flow, int port, SwitchSide switches) {
        if (!possible || !state.trains || state.packets.live() > 0 || !findWay(flow, port, switches)) {
            return -1;
        }
        long limit = Math.min(state.heap.firstOther(IGNORED), state.near.time(state.now));
        long end = fly(flow, limit);
        return end >= 0 && end < limit && !isSample(end) ? end : -1;
    }

    /** Whether a sample is due at a time: which of the two comes first there depends on when each was planned. */
    private boolean isSample(long time) {
        return state.spec
                .monitor()
                .filter(monitor -> time >= monitor.startNs() && (time - monitor.startNs()) % monitor.periodNs() == 0)
                .isPresent();
    }

    private boolean findWay(int flow, int port, SwitchSide switches) {
        hops = 0;
        int at = port;
        there = -1;
        longestLeg = 0;
        int full = state.spec.transport().payload() + state.sizes.dataHeaders;
        while (true) {
            if (ports.paused[at] || ports.freeAt[at] > state.now || !ports.up[at]) {
                return false;
            }
            if (hops == way.length) {
                way = Arrays.copyOf(way, 2 * hops);
                freeAt = Arrays.copyOf(freeAt, 2 * hops);
                startedAt = Arrays.copyOf(startedAt, 2 * hops);
                waited = Arrays.copyOf(waited, 2 * hops);
            }
            way[hops++] = at;
            longestLeg = Math.max(longestLeg, ports.times[at].of(full) + ports.delay[at]);
            int in = at ^ 1;
            int node = ports.node[in];
            boolean isData = there < 0;
            if (!ports.onSwitch[in]) {
                if (!isData) {
                    return true;
                }
                there = hops;
                isData = false;
            } else if (!switches.isCalm(in)) {
                return false;
            }
            int[] choices = state.routes.towards(node, isData ? flows.destination[flow] : flows.source[flow]);
            if (choices.length == 0) {
                return false;
            }
            at = choices.length == 1 ? choices[0] : choices[choose(flow, isData, in, choices.length)];
        }
    }

    private int choose(int flow, boolean isData, int port, int count) {
        int seed = ports.onSwitch[port] ? ports.node[port] + state.spec.hashSeed() : HostSide.ECMP_SEED;
        return Integer.remainderUnsigned(flows.pathHash(flow, isData, seed), count);
    }

    /** When the last acknowledgement is back; -1 when queues would form or the end is not before {@code limit}. */
    private long fly(int flow, long limit) {
        long bytes = flows.bytes[flow];
        int payload = state.spec.transport().payload();
        long window = flows.window[flow];
        long frames = (bytes + payload - 1) / payload;
        long kept = window == 0 ? 1 : Math.min(frames, window / payload + 2);
        if (kept > acknowledged.length) {
            acknowledged = new long[(int) Math.min(1 << 24, Long.highestOneBit(kept) * 2)];
        }
        if (kept > acknowledged.length) {
            return -1;
        }
        Arrays.fill(freeAt, 0, hops, state.now);
        Arrays.fill(startedAt, 0, hops, -1);
        Arrays.fill(waited, 0, hops, 0);
        long end = -1;
        for (long frame = 0; frame < frames; frame++) {
            long first = frame * payload;
            long start = freeAt[0];
            if (window > 0 && first >= window) {
                start = Math.max(start, acknowledged[(int) ((first - window) / payload % acknowledged.length)]);
            }
            int size = (int) Math.min(payload, bytes - first) + state.sizes.dataHeaders;
            end = carry(start, size);
            if (end < 0 || end >= limit) {
                return -1;
            }
            acknowledged[(int) (frame % acknowledged.length)] = end;
        }
        return end;
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
        if (since < 0) {
            return false;
        }
        long last = to - since % monitor.periodNs();
        return monitor.periodNs() > longestLeg ? last > from : last >= from;
    }

    /** Takes a frame there and its acknowledgement back; when that arrives, or -1 when two would wait at a port. */
    private long carry(long start, int size) {
        long at = start;
        for (int hop = 0; hop < hops; hop++) {
            int port = way[hop];
            if (hop > 0 && freeAt[hop] >= at) {
                if (startedAt[hop] >= at || (ports.onSwitch[port] && isSampled(at, freeAt[hop]))) {
                    return -1;
                }
                waited[hop] += freeAt[hop] - at;
                at = freeAt[hop];
            }
            startedAt[hop] = at;
            long left = at + ports.times[port].of(hop < there ? size : state.sizes.ack);
            freeAt[hop] = left;
            at = left + ports.delay[port];
        }
        return at;
    }

    /** Adds the frames of a flow that flew to the sums of the ports on its way. */
    void settle(int flow) {
        long bytes = flows.bytes[flow];
        int payload = state.spec.transport().payload();
        long full = bytes / payload;
        int rest = (int) (bytes % payload);
        int headers = state.sizes.dataHeaders;
        for (int hop = 0; hop < hops; hop++) {
            ports.waitedNs[way[hop]] += ports.onSwitch[way[hop]] ? waited[hop] : 0;
            if (hop < there) {
                add(way[hop], full, payload + headers, ports.onSwitch[way[hop]]);
                add(way[hop], rest > 0 ? 1 : 0, rest + headers, ports.onSwitch[way[hop]]);
            } else {
                add(way[hop], full + (rest > 0 ? 1 : 0), state.sizes.ack, true);
            }
        }
        state.counters.leftOut += 2L * hops * (full + (rest > 0 ? 1 : 0)) - 1;
    }

    private void add(int port, long frames, int size, boolean isQueued) {
        ports.sentFrames[port] += frames;
        ports.sentBytes[port] += frames * size;
        ports.busyNs[port] += frames * ports.times[port].of(size);
        if (frames > 0 && isQueued) {
            ports.mostWaiting[port] = Math.max(ports.mostWaiting[port], size);
        }
    }
}
