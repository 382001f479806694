package dev.stagesim.sim.network.packet;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * BusyPeriodCache of flows that were followed frame by frame, for when flows like them start again on an empty network.
 *
 * <p>What becomes of flows depends on their messages and ways, on when each starts after the first, on the order in which
 * they do, and on whose turn it was last at a port that is busy when its first flow starts, as long as nothing is left of the
 * flows before, nothing is drawn, and no timer is due. It does not depend on which of like hosts, cables and switches they
 * use. A round in which a frame was marked, paused, lost or sent again is not kept.
 */
final class BusyPeriodCache {
    private static final long MAX_WORDS = 1 << 21;
    /** BusyPeriodCache that are followed in a row without one that was there before, after which no more are. */
    private static final int MAX_MISSES = 256;

    private static final int MAX_FLOWS = 1 << 16;
    private static final long MICRO = 1000;

    private final State state;
    private final Ports ports;
    private final FlowQueues queues;
    private final boolean isPossible;
    private final boolean isSampled;
    private final long maxDurationNs;
    private final Map<Long, BusyPeriod> periods = new LinkedHashMap<>();
    private final PacketTrain joiningTrain;
    /** Ports that stand for those of the round that is gone through again. */
    final PortMap map;

    private @Nullable BusyPeriod recorded;
    private long words;
    private int misses;
    private long start;
    private int ended;
    private long unrepeatableEvents;
    private long wakesBefore;
    private int[] numberOf = new int[64];
    /** By port: its place in the round that is recorded, if that one has it there. */
    private final int[] placeOf;
    /** By port: the last round that was recorded in which a flow started there. */
    private final int[] startedIn;

    private int recordedRounds;

    BusyPeriodCache(State state, FlowQueues queues, SwitchSide switches) {
        this.state = state;
        this.queues = queues;
        ports = state.ports;
        placeOf = new int[ports.count];
        startedIn = new int[ports.count];
        joiningTrain = new PacketTrain(state);
        map = new PortMap(ports, switches);
        PacketSpec spec = state.spec;
        isSampled = spec.monitor().isPresent();
        // A sample is planned a period before it is due, and has to come before the frames of its ns.
        isPossible = spec.linkDown().isEmpty()
                && spec.monitor()
                        .map(PacketSpec.Monitor::periodNs)
                        .filter(period -> period <= state.longestLeg)
                        .isEmpty();
        maxDurationNs = spec.asReference()
                ? Integer.MAX_VALUE
                : Math.min(Integer.MAX_VALUE, spec.transport().retransmit() * MICRO);
    }

    /** Whether rounds may be recorded still. */
    boolean canRecord() {
        return isPossible && misses < MAX_MISSES;
    }

    boolean isRecording() {
        return recorded != null;
    }

    /** The round that began with these flows, all of which start now. */
    @Nullable
    BusyPeriod find(PacketTrain[] trains, int count) {
        if (!isPossible || periods.isEmpty()) {
            return null;
        }
        BusyPeriod period = periods.get(BusyPeriod.key(trains, count, map));
        map.clear();
        if (period == null || !period.beginsWith(trains, count, map)) {
            return null;
        }
        misses = 0;
        return period;
    }

    /** Flows are about to be followed frame by frame from the first of their starts on. */
    void begin(PacketTrain[] trains, int count) {
        misses++;
        BusyPeriod period = new BusyPeriod();
        recorded = period;
        recordedRounds++;
        start = trains[0].start;
        ended = 0;
        unrepeatableEvents = unrepeatableEvents();
        wakesBefore = queues.handledWakes();
        for (int i = 0; i < count; i++) {
            setNumber(trains[i].flow, i);
            add(period, trains[i], trains[i].start - start, trains[i].start == start || trains[i].isQueued);
        }
        if (isSampled) {
            state.track = period.queues;
            state.trackStart = start;
            state.isTracked = true;
        }
    }

    /** Frames of the flow with a number are those of a slot. */
    void setNumber(int flow, int number) {
        if (flow >= numberOf.length) {
            numberOf = Arrays.copyOf(numberOf, 2 * flow);
        }
        numberOf[flow] = number;
    }

    /**
     * Takes a flow in.
     *
     * @param isFree whether its port would send it at once if it were the only one there: then the last turn does not matter
     */
    private void add(BusyPeriod period, PacketTrain train, long at, boolean isFree) {
        int port = train.path.port(0);
        boolean isFirst = startedIn[port] != recordedRounds;
        startedIn[port] = recordedRounds;
        period.add(train, at, isFirst && !isFree ? queues.lastTurn(port) : BusyPeriod.ANY);
        for (int hop = 0; hop < train.path.hops(); hop++) {
            period.ports.add(train.path.port(hop), placeOf, ports);
        }
    }

    /** A flow starts at a port while a round is recorded. */
    void addFlow(int flow, int port) {
        BusyPeriod period = recorded;
        if (period == null) {
            return;
        }
        if (period.size() == MAX_FLOWS || state.flows.bytes[flow] < 1 || !joiningTrain.path.find(flow, port)) {
            abandon();
            return;
        }
        joiningTrain.assign(flow);
        setNumber(flow, period.size());
        boolean isFree = ports.freeAt[port] < state.now && ports.queueHead[port] == Packets.NONE;
        add(period, joiningTrain, state.now - start, isFree);
    }

    /** A flow is over: its last acknowledgement has come in by a port. */
    void end(int flow, int ingress) {
        if (recorded == null) {
            return;
        }
        int last = ingress ^ 1;
        long lastLeg = state.now - ports.delay[last] - ports.times[last].of(state.sizes.ack);
        recorded.end(numberOf[flow], lastLeg - start, state.now - start, state.stamp);
        ended++;
    }

    /** No flow is left: keeps the round that was recorded, if one was, unless something happened that is not in it. */
    void finish() {
        BusyPeriod period = recorded;
        if (period == null) {
            return;
        }
        period.wakes = queues.handledWakes() - wakesBefore;
        boolean isWhole = ended == period.size()
                && unrepeatableEvents == unrepeatableEvents()
                && state.now - start < maxDurationNs
                && !period.queues.isFull()
                && state.packets.live() == 0
                && state.near.size() == 0
                && state.counters.periodic == 0
                && queues.pendingWakes() == 0
                && queues.entries() == 0;
        abandon();
        if (isWhole) {
            store(period);
        }
    }

    /** Keeps a round in place of one that began alike, or of all when they take too much memory with it. */
    void store(BusyPeriod period) {
        long more = period.words();
        if (more > MAX_WORDS) {
            return;
        }
        period.finish(queues);
        if (words + more > MAX_WORDS) {
            periods.clear();
            words = 0;
        }
        BusyPeriod before = periods.put(period.key(map), period);
        words += more - (before == null ? 0 : before.words());
    }

    /** Memory that the rounds take, in words of 8 bytes. */
    long words() {
        return words;
    }

    /** What happened that a round has no place for. */
    private long unrepeatableEvents() {
        State.Counters counters = state.counters;
        return counters.dropped
                + counters.lost
                + counters.marked
                + counters.pauses
                + counters.retransmissions
                + state.random.used();
    }

    /** Records no longer, if a round is recorded. */
    void abandon() {
        if (recorded != null) {
            recorded.ports.finish(ports);
            recorded = null;
            state.isTracked = false;
        }
    }
}
