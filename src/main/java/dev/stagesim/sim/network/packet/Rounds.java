package dev.stagesim.sim.network.packet;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of flows that were followed frame by frame, for when flows like them start again on an empty network.
 *
 * <p>What becomes of flows depends on their messages and ways, on when each starts after the first, on the order in which
 * they do, and on whose turn it was last at a port that is busy when its first flow starts, as long as nothing is left of the
 * flows before, nothing is drawn, and no timer is due. It does not depend on which of like hosts, cables and switches they
 * use. A round in which a frame was marked, paused, lost or sent again is not kept.
 */
final class Rounds {
    private static final long MOST_WORDS = 1 << 21;
    /** Rounds that are followed in a row without one that was there before, after which no more are. */
    private static final int MOST_MISSES = 256;

    private static final int MOST_FLOWS = 1 << 16;
    private static final long MICRO = 1000;

    private final State state;
    private final Ports ports;
    private final FlowQueues queues;
    private final boolean isPossible;
    private final boolean isSampled;
    private final long longest;
    private final Map<Long, Round> known = new LinkedHashMap<>();
    private final Flight joining;
    /** Ports that stand for those of the round that is gone through again. */
    final PortMap map;

    private @Nullable Round recorded;
    private long words;
    private int misses;
    private long start;
    private int ended;
    private long troubles;
    private long wakes;
    private int[] numberOf = new int[64];
    /** By port: its place in the round that is recorded, if that one has it there. */
    private final int[] placeOf;
    /** By port: the last round that was recorded in which a flow started there. */
    private final int[] startedIn;

    private int recordedRounds;

    Rounds(State state, FlowQueues queues, SwitchSide switches) {
        this.state = state;
        this.queues = queues;
        ports = state.ports;
        placeOf = new int[ports.count];
        startedIn = new int[ports.count];
        joining = new Flight(state);
        map = new PortMap(ports, switches);
        PacketSpec spec = state.spec;
        isSampled = spec.monitor().isPresent();
        // A sample is planned a period before it is due, and has to come before the frames of its ns.
        isPossible = spec.linkDown().isEmpty()
                && spec.monitor()
                        .map(PacketSpec.Monitor::periodNs)
                        .filter(period -> period <= state.longestLeg)
                        .isEmpty();
        longest = spec.asReference()
                ? Integer.MAX_VALUE
                : Math.min(Integer.MAX_VALUE, spec.transport().retransmit() * MICRO);
    }

    /** Whether rounds may be recorded still. */
    boolean arePossible() {
        return isPossible && misses < MOST_MISSES;
    }

    boolean isRecording() {
        return recorded != null;
    }

    /** The round that began with these flows, all of which start now. */
    @Nullable
    Round find(Flight[] flights, int count) {
        if (!isPossible || known.isEmpty()) {
            return null;
        }
        Round round = known.get(Round.key(flights, count, map));
        map.clear();
        if (round == null || !round.beginsWith(flights, count, map)) {
            return null;
        }
        misses = 0;
        return round;
    }

    /** Flows are about to be followed frame by frame from the first of their starts on. */
    void begin(Flight[] flights, int count) {
        misses++;
        Round round = new Round();
        recorded = round;
        recordedRounds++;
        start = flights[0].start;
        ended = 0;
        troubles = troubles();
        wakes = queues.handledWakes();
        for (int i = 0; i < count; i++) {
            follow(flights[i].flow, i);
            add(round, flights[i], flights[i].start - start, flights[i].start == start || flights[i].isQueued);
        }
        if (isSampled) {
            state.track = round.queues;
            state.trackStart = start;
            state.isTracked = true;
        }
    }

    /** Frames of the flow with a number are those of a slot. */
    void follow(int flow, int number) {
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
    private void add(Round round, Flight flight, long at, boolean isFree) {
        int port = flight.way.port(0);
        boolean isFirst = startedIn[port] != recordedRounds;
        startedIn[port] = recordedRounds;
        round.add(flight, at, isFirst && !isFree ? queues.lastTurn(port) : Round.ANY);
        for (int hop = 0; hop < flight.way.hops(); hop++) {
            round.ports.add(flight.way.port(hop), placeOf, ports);
        }
    }

    /** A flow starts at a port while a round is recorded. */
    void note(int flow, int port) {
        Round round = recorded;
        if (round == null) {
            return;
        }
        if (round.size() == MOST_FLOWS || state.flows.bytes[flow] < 1 || !joining.way.find(flow, port)) {
            abandon();
            return;
        }
        joining.board(flow);
        follow(flow, round.size());
        boolean isFree = ports.freeAt[port] < state.now && ports.queueHead[port] == Packets.NONE;
        add(round, joining, state.now - start, isFree);
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
        Round round = recorded;
        if (round == null) {
            return;
        }
        round.wakes = queues.handledWakes() - wakes;
        boolean isWhole = ended == round.size()
                && troubles == troubles()
                && state.now - start < longest
                && !round.queues.isFull()
                && state.packets.live() == 0
                && state.near.size() == 0
                && state.counters.periodic == 0
                && queues.pendingWakes() == 0
                && queues.entries() == 0;
        abandon();
        if (isWhole) {
            keep(round);
        }
    }

    /** Keeps a round in place of one that began alike, or of all when they take too much memory with it. */
    void keep(Round round) {
        long more = round.words();
        if (more > MOST_WORDS) {
            return;
        }
        round.finish(queues);
        if (words + more > MOST_WORDS) {
            known.clear();
            words = 0;
        }
        Round before = known.put(round.key(map), round);
        words += more - (before == null ? 0 : before.words());
    }

    /** Memory that the rounds take, in words of 8 bytes. */
    long words() {
        return words;
    }

    /** What happened that a round has no place for. */
    private long troubles() {
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
