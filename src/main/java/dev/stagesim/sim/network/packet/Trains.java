package dev.stagesim.sim.network.packet;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Flows that pass as trains, two events for all of their frames, while no two of them share a port.
 *
 * <p>Flights begin on a network without frames. A flow that starts later joins them when its ports are no other's, and
 * ends them all when it would meet one, or when a cable fails or the run stops: then everything since the first of them
 * started is gone through again, frame by frame, with what clients did meanwhile at its place in the order, which leaves
 * the network as if there had been no trains. The order of events at one ns follows from when each was planned; where
 * that is another event's ns as well and the two flights are not alike, they are ended, too.
 */
final class Trains {
    /** Goes through the events that only concern frames. */
    interface Frames {
        /** Handles the first pending event if it is before the given place in the order. */
        boolean step(long time, long stamp);

        /** Starts a flow whose turn was taken and of which nothing was sent. */
        void send(int flow);

        /** Starts a flow that is in no list of its port yet. */
        void enter(int flow);

        /** Starts a flow that is over again, in a slot of its own, and returns the slot; nobody hears of its end. */
        int repeat(Flight flight);
    }

    private static final int LARGEST_FRAME = 4096;
    private static final int MOST_LOGGED = 1 << 16;

    private final State state;
    private final Ports ports;
    private final Flows flows;
    private final EventHeap heap;
    private final FlowQueues queues;
    private final SwitchSide switches;
    private final Frames frames;
    private final boolean possible;

    private final TrainLog log = new TrainLog();
    private final @Nullable Flight[] ofPort;
    /** By flow: its flight, if it flies. */
    private @Nullable Flight[] ofFlow = new Flight[64];

    /** In order of their starts; those of a round stay when they have landed. */
    private Flight[] flights;

    private int count;
    private int landed;
    /** Flights that are not computed yet, the last ones of {@link #flights}. */
    private int fresh;

    final Rounds rounds;
    /** The round that is gone through again. */
    private @Nullable Round round;
    /** Whether flights that began in this ns, all there are, meet. */
    private boolean isMet;
    /** Whether nothing was left in the lists of ports when the first flight began, and none has landed by itself since. */
    private boolean isClean;
    /** Last legs of the round that began, whether they did in its order, and the log entry that is gone through again. */
    private int lastLegs;

    private boolean isInOrder;
    private int again;
    private int landing = TrainLog.NONE;

    private int boarded = TrainLog.NONE;
    private int ended = TrainLog.NONE;
    private int landedNow = TrainLog.NONE;
    private boolean isLastLegNow;
    private long firstPlanned;
    private final Renumbering numbers;

    Trains(State state, FlowQueues queues, SwitchSide switches, boolean isTraced, Frames frames) {
        this.state = state;
        this.queues = queues;
        this.switches = switches;
        this.frames = frames;
        ports = state.ports;
        flows = state.flows;
        heap = state.heap;
        ofPort = new Flight[ports.count];
        flights = new Flight[] {new Flight(state)};
        possible = isPossible(state.spec, isTraced, state.sizes);
        rounds = new Rounds(state, queues, switches);
        numbers = new Renumbering(heap, flows);
    }

    private static boolean isPossible(PacketSpec spec, boolean isTraced, FrameSizes sizes) {
        TransportSpec transport = spec.transport();
        boolean isLossy =
                spec.lossRate() > 0 || spec.topology().cables().stream().anyMatch(cable -> cable.lossRate() > 0);
        return spec.congestion().isCalm()
                && !isTraced
                && !isLossy
                && transport.stalls() == 0
                && transport.ackFrom() <= 1
                && !spec.paths().spray()
                && !spec.paths().forwarding()
                && !transport.backToChunk()
                && transport.payload() + sizes.dataHeaders <= LARGEST_FRAME;
    }

    boolean areFlying() {
        return count > 0;
    }

    /** An event that is not a frame's is about to be handled. */
    void begin() {
        firstPlanned = heap.planned();
        boarded = TrainLog.NONE;
        ended = TrainLog.NONE;
        landedNow = TrainLog.NONE;
    }

    /** It was handled. */
    void end(long stamp) {
        if (count > 0) {
            log.add(state.now, stamp, firstPlanned, heap.planned(), boarded, ended, landedNow);
        } else {
            log.clear();
        }
    }

    /** Whether a flow that starts now at a port, in the event being handled, passes as a train. */
    boolean board(int flow, int port, int otherFlows) {
        if (!possible || !state.trains) {
            return false;
        }
        if (rounds.isRecording()) {
            rounds.note(flow, port);
            return false;
        }
        Flight flight = spare();
        boolean mayFly = otherFlows == count - landed
                && state.packets.live() == 0
                && state.near.size() == 0
                && state.counters.periodic == 0
                && queues.pendingWakes() == 0
                && flows.bytes[flow] >= 1
                && flight.way.find(flow, port)
                && isClear(flight.way);
        if (mayFly) {
            flight.board(flow);
        }
        if (!mayFly || !joins(flight)) {
            if (count > 0) {
                ground();
                if (rounds.isRecording()) {
                    rounds.note(flow, port);
                }
            }
            return false;
        }
        add(flight, port);
        return true;
    }

    private Flight spare() {
        if (count == flights.length) {
            flights = Arrays.copyOf(flights, 2 * count);
            for (int i = count; i < flights.length; i++) {
                flights[i] = new Flight(state);
            }
        }
        return flights[count];
    }

    /** Whether a flight may begin beside the others: as their round has it, or apart from them, or in one ns with all. */
    private boolean joins(Flight flight) {
        if (round != null) {
            int lastTurn = queues.lastTurn(flight.way.port(0));
            return round.matches(count, state.now - flights[0].start, flight, lastTurn, rounds.map);
        }
        if (!isMet && !meets(flight.way)) {
            return true;
        }
        isMet = fresh == count && isClean && rounds.arePossible();
        return isMet;
    }

    private boolean meets(Way way) {
        for (int hop = 0; hop < way.hops(); hop++) {
            if (ofPort[way.port(hop)] != null) {
                return true;
            }
        }
        return false;
    }

    private void add(Flight flight, int port) {
        int flow = flight.flow;
        if (count == 0) {
            log.clear();
            isClean = queues.entries() == 0;
        }
        if (flow >= ofFlow.length) {
            ofFlow = Arrays.copyOf(ofFlow, 2 * flow);
        }
        ofFlow[flow] = flight;
        flows.flying[flow] = true;
        flight.number = count;
        if (round == null && !isMet) {
            flight.isQueued = true;
            queues.add(port, flow);
            queues.choose(port, state.now, false);
            for (int hop = 0; hop < flight.way.hops(); hop++) {
                ofPort[flight.way.port(hop)] = flight;
            }
        }
        count++;
        fresh++;
        state.counters.flights = count - landed;
        boarded = flow;
    }

    /** Whether nothing is, or could come to be, at the ports of a way. */
    private boolean isClear(Way way) {
        int shortest = Math.min(state.sizes.ack, state.sizes.dataHeaders + 1);
        int largest = state.spec.transport().payload() + state.sizes.dataHeaders;
        for (int hop = 0; hop < way.hops(); hop++) {
            int port = way.port(hop);
            boolean isSwitched = ports.onSwitch[port ^ 1];
            if (ports.paused[port]
                    || !ports.up[port]
                    || ports.freeAt[port] >= state.now
                    || ports.times[port].of(shortest) == 0
                    || (isSwitched && !switches.isCalm(port ^ 1, hop < way.there() ? largest : state.sizes.ack))) {
                return false;
            }
        }
        return true;
    }

    /** The clock is about to leave this ns: works out flights that began in it, and whether their order is known. */
    void advance() {
        if ((isLastLegNow && !isOrderKnown()) || log.size() > MOST_LOGGED || !areComputed()) {
            ground();
            return;
        }
        isLastLegNow = false;
        if (fresh > 0) {
            long first = heap.planned();
            for (int i = count - fresh; i < count; i++) {
                Flight flight = flights[round == null ? i : round.leg(i)];
                heap.plan(flight.lastLeg, State.LAST_LEG | flight.flow);
            }
            log.add(state.now, TrainLog.BETWEEN, first, heap.planned(), TrainLog.NONE, TrainLog.NONE, TrainLog.NONE);
            fresh = 0;
        }
        if (round != null && isLate(round)) {
            ground();
        }
    }

    /** Works out the times of flights that began in this ns: from a round, or of each by itself. */
    private boolean areComputed() {
        if (round == null && fresh > 0 && fresh == count && isClean) {
            round = rounds.find(flights, count);
            if (round != null) {
                enterRound(round);
            }
        }
        if (round != null) {
            if (count < round.size() && flights[0].start + round.startedAt[count] == state.now) {
                // The order within a ns is that of all the flows that start in it.
                return false;
            }
            for (int i = count - fresh; i < count; i++) {
                flights[i].lastLeg = flights[0].start + round.lastLegAt[i];
                flights[i].end = flights[0].start + round.endedAt[i];
            }
            return true;
        }
        for (int i = count - fresh; i < count; i++) {
            if (isMet || !flights[i].compute()) {
                return false;
            }
        }
        return true;
    }

    /** Nobody's turns are taken as long as the round goes on as it did. */
    private void enterRound(Round known) {
        for (int i = 0; i < count; i++) {
            if (flights[i].isQueued) {
                flights[i].isQueued = false;
                queues.clear(flows.port[flights[i].flow]);
                release(flights[i]);
            }
        }
        isMet = false;
        lastLegs = 0;
        isInOrder = true;
        known.queues.rewind();
    }

    /** Whether a flow of a round has not started by now, or will not before the next event. */
    private boolean isLate(Round known) {
        if (count == known.size()) {
            return false;
        }
        long due = flights[0].start + known.startedAt[count];
        return due <= state.now || !heap.hasNext() || heap.time() > due;
    }

    /** A sample is due: tells what waits at switches now. */
    void showQueues() {
        if (round != null) {
            round.queues.tell(state.now - flights[0].start, ports.waiting, rounds.map);
        }
    }

    /** Whether all that was planned in this ns was planned by last legs of flights that are alike. */
    private boolean isOrderKnown() {
        if (round != null && !isInOrder) {
            return false;
        }
        @Nullable Flight one = null;
        for (int entry = log.size() - 1; entry >= 0 && log.time(entry) == state.now; entry--) {
            int flow = log.ended(entry);
            if (flow == TrainLog.NONE) {
                if (log.end(entry) > log.first(entry)) {
                    return false;
                }
                continue;
            }
            Flight flight = of(flow);
            if (round == null && one != null && !one.isLike(flight)) {
                return false;
            }
            one = flight;
        }
        return true;
    }

    private Flight of(int flow) {
        @Nullable Flight flight = ofFlow[flow];
        if (flight == null || flight.flow != flow) {
            throw new IllegalStateException("flow " + flow + " is no train");
        }
        return flight;
    }

    /** The last acknowledgement of a flight starts on its last cable. */
    void beginLastLeg(int flow) {
        Flight flight = of(flow);
        flight.isOnLastLeg = true;
        isLastLegNow = true;
        ended = flow;
        heap.plan(flight.end, State.FLOWN | flow);
        if (round != null) {
            isInOrder &= round.inOrder(lastLegs++) == flight.number;
        }
    }

    /** A flight is over. */
    void land(int flow) {
        Flight flight = of(flow);
        flows.flying[flow] = false;
        if (round != null) {
            flight.isLanded = true;
            landedNow = flow;
            landed++;
            if (landed == round.size()) {
                endRound(round);
            }
        } else {
            flight.settle();
            release(flight);
            int index = 0;
            while (flights[index] != flight) {
                index++;
            }
            System.arraycopy(flights, index + 1, flights, index, count - index - 1);
            flights[--count] = flight;
            isClean = false;
            if (flows.bytes[flow] > state.spec.transport().payload()) {
                queues.choose(flows.port[flow], state.now, false);
            }
        }
        state.counters.flights = count - landed;
    }

    private void endRound(Round known) {
        long frames = known.ports.settle(ports, rounds.map);
        known.ports.clearQueues(ports.waiting, rounds.map);
        known.settleTurns(queues, rounds.map);
        state.counters.leftOut += 2 * frames + known.wakes - 2L * known.size();
        count = 0;
        landed = 0;
        round = null;
    }

    private void release(Flight flight) {
        for (int hop = 0; hop < flight.way.hops(); hop++) {
            ofPort[flight.way.port(hop)] = null;
        }
    }

    /** When a flow that flies last heard of its receiver before now. */
    long lastAnswer(int flow) {
        return of(flow).lastAnswerBefore(state.now);
    }

    /**
     * Ends all flights: goes through the log frame by frame, up to the end of the event being handled, if one is.
     *
     * <p>Every event that was planned since the log begins gets a new stamp, in the order in which it would have been
     * planned; pending ones are put in again with theirs.
     */
    void ground() {
        long stamp = state.stamp;
        boolean isWithin = state.isHandling;
        if (isWithin) {
            log.add(state.now, stamp, firstPlanned, heap.planned(), boarded, ended, landedNow);
        }
        numbers.begin(log.first(0));
        forgetFlights();
        for (int entry = 0; entry < log.size(); entry++) {
            replay(entry);
        }
        numbers.putBack();
        if (isWithin) {
            state.stamp = numbers.stamp(stamp);
        }
        count = 0;
        landed = 0;
        fresh = 0;
        isMet = false;
        round = null;
        isLastLegNow = false;
        state.counters.flights = 0;
        log.clear();
    }

    /** Takes back what flights changed, but for the clock; a round may begin with them. */
    private void forgetFlights() {
        for (int i = 0; i < count; i++) {
            release(flights[i]);
            state.counters.leftOut -= (flights[i].isOnLastLeg ? 1 : 0) + (flights[i].isLanded ? 1 : 0);
        }
        if (round != null) {
            round.ports.clearQueues(ports.waiting, rounds.map);
        }
        if (isClean && rounds.arePossible()) {
            rounds.begin(flights, count);
        }
        again = 0;
    }

    private void replay(int entry) {
        if (log.landed(entry) != TrainLog.NONE) {
            landing = entry;
            while (landing != TrainLog.NONE) {
                if (!frames.step(Long.MAX_VALUE, Long.MAX_VALUE)) {
                    throw new IllegalStateException("a flow of a round does not end again");
                }
            }
            return;
        }
        long stamp = log.stamp(entry);
        if (stamp != TrainLog.BETWEEN) {
            long renewedStamp = numbers.stamp(stamp);
            while (frames.step(log.time(entry), renewedStamp)) {
                // All is done in the condition.
            }
            state.now = log.time(entry);
            state.stamp = renewedStamp;
        }
        planAgain(entry);
        int flow = log.boarded(entry);
        if (flow == TrainLog.NONE) {
            return;
        }
        if (round != null || isMet) {
            startAgain(flights[again++]);
        } else if (isOpen(flow, log.time(entry))) {
            flows.flying[flow] = false;
            frames.send(flow);
        }
    }

    private void planAgain(int entry) {
        numbers.plan(log.first(entry), log.end(entry));
    }

    private void startAgain(Flight flight) {
        if (flight.isLanded) {
            rounds.follow(frames.repeat(flight), flight.number);
            return;
        }
        flows.flying[flight.flow] = false;
        if (flight.isQueued) {
            frames.send(flight.flow);
        } else {
            frames.enter(flight.flow);
        }
    }

    /** A flow that was over before is over again: what its end planned has its place in the order now. */
    void landAgain() {
        planAgain(landing);
        landing = TrainLog.NONE;
    }

    /** Whether the flow that a log entry started is still under way; its slot may be another's by now. */
    private boolean isOpen(int flow, long start) {
        return flows.flying[flow] && of(flow).start == start;
    }
}
