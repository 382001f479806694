package dev.stagesim.sim.network.packet.fastpath;

import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.Packets;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.switching.SwitchSide;
import dev.stagesim.sim.network.packet.topology.Ports;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recordings of busy periods, replayed when an equivalent set of flows starts on an empty network.
 *
 * <p>The course of a busy period depends only on the messages and paths of its flows, on their relative start times and
 * order, and on the last turn at each port that is busy when its first flow starts. This is true if nothing remains of
 * earlier flows, nothing is random, and no timer expires. It does not depend on the choice among equivalent hosts,
 * cables and switches. Busy periods with a mark, pause, loss or retransmission are not stored.
 */
public final class BusyPeriodCache {
    private static final long MAX_WORDS = 1 << 21;
    /** Maximum number of consecutive recordings without a replay. */
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
    /** Ports of the current replay. */
    final PortMap map;

    private @Nullable BusyPeriod recorded;
    private long words;
    private int misses;
    private long start;
    private int ended;
    private long unrepeatableEvents;
    private long wakesBefore;
    private int[] numberOf = new int[64];
    /** By port: its index in the current recording, if present. */
    private final int[] placeOf;
    /** By port: the last recording with a flow that started at it. */
    private final int[] startedIn;

    private int recordedRounds;

    public BusyPeriodCache(State state, FlowQueues queues, SwitchSide switches) {
        this.state = state;
        this.queues = queues;
        ports = state.ports;
        placeOf = new int[ports.count];
        startedIn = new int[ports.count];
        joiningTrain = new PacketTrain(state);
        map = new PortMap(ports, switches);
        PacketSpec spec = state.spec;
        isSampled = spec.monitor().isPresent();
        // A sample is scheduled one period in advance and must precede the frames of its ns.
        isPossible = spec.linkDown().isEmpty()
                && spec.monitor()
                        .map(PacketSpec.Monitor::periodNs)
                        .filter(period -> period <= state.longestLeg)
                        .isEmpty();
        maxDurationNs = spec.asReference()
                ? Integer.MAX_VALUE
                : Math.min(Integer.MAX_VALUE, spec.transport().retransmit() * MICRO);
    }

    /** True if busy periods may still be recorded. */
    boolean canRecord() {
        return isPossible && misses < MAX_MISSES;
    }

    boolean isRecording() {
        return recorded != null;
    }

    /** Returns the recording that begins with these trains, or null. All of the trains start now. */
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

    /** Starts a recording with the given flows, which are simulated frame by frame. */
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

    /** Sets the flow number of a slot. */
    void setNumber(int flow, int number) {
        if (flow >= numberOf.length) {
            numberOf = Arrays.copyOf(numberOf, 2 * flow);
        }
        numberOf[flow] = number;
    }

    /**
     * Adds a flow.
     *
     * @param isFree whether its port would send it at once if it were the only flow; then the last turn does not matter
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

    /** Adds a flow that starts at a port during the recording. */
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

    /** Records the end of a flow. Its last acknowledgement arrived at a port. */
    public void end(int flow, int ingress) {
        if (recorded == null) {
            return;
        }
        int last = ingress ^ 1;
        long lastLeg = state.now - ports.delay[last] - ports.times[last].of(state.sizes.ack);
        recorded.end(numberOf[flow], lastLeg - start, state.now - start, state.stamp);
        ended++;
    }

    /** Ends the recording because no flow is left. Stores it unless something unrepeatable happened. */
    public void finish() {
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

    /** Stores a recording in place of an earlier one with the same start. Clears the cache if it grows too large. */
    public void store(BusyPeriod period) {
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

    /** Memory use in units of 8 bytes. */
    public long words() {
        return words;
    }

    /** Number of events that a replay cannot reproduce. */
    private long unrepeatableEvents() {
        State.Counters counters = state.counters;
        return counters.dropped
                + counters.lost
                + counters.marked
                + counters.pauses
                + counters.retransmissions
                + state.random.used();
    }

    /** Abandons the current recording, if any. */
    public void abandon() {
        if (recorded != null) {
            recorded.ports.finish(ports);
            recorded = null;
            state.isTracked = false;
        }
    }
}
