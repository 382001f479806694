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

        /** Starts a flow of which nothing was sent. */
        void send(int flow);
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
    private Flight[] flights;
    private int count;
    /** Flights that are not computed yet, the last ones of {@link #flights}. */
    private int fresh;

    private int boarded = TrainLog.NONE;
    private int ended = TrainLog.NONE;
    private boolean isLastLegNow;
    private long firstPlanned;
    /** Pending events that were taken out, and new numbers of planned ones. */
    private long[] pending = {};

    private long[] renewed = {};

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
    }

    /** It was handled. */
    void end(long stamp) {
        if (count > 0) {
            log.add(state.now, stamp, firstPlanned, heap.planned(), boarded, ended);
        } else {
            log.clear();
        }
    }

    /** Whether a flow that starts now at a port, in the event being handled, passes as a train. */
    boolean board(int flow, int port, int otherFlows) {
        if (!possible || !state.trains) {
            return false;
        }
        boolean mayFly = otherFlows == count
                && state.packets.live() == 0
                && state.near.size() == 0
                && state.counters.periodic == 0
                && queues.pendingWakes() == 0;
        if (count == flights.length) {
            flights = Arrays.copyOf(flights, 2 * count);
            for (int i = count; i < flights.length; i++) {
                flights[i] = new Flight(state);
            }
        }
        Flight flight = flights[count];
        if (!mayFly || flows.bytes[flow] < 1 || !flight.way.find(flow, port) || !isClear(flight.way)) {
            if (count > 0) {
                ground();
            }
            return false;
        }
        if (count == 0) {
            log.clear();
        }
        flight.board(flow);
        flows.flying[flow] = true;
        queues.add(port, flow);
        queues.choose(port, state.now, false);
        for (int hop = 0; hop < flight.way.hops(); hop++) {
            ofPort[flight.way.port(hop)] = flight;
        }
        count++;
        fresh++;
        state.counters.flights = count;
        boarded = flow;
        return true;
    }

    /** Whether nothing is, or could come to be, at the ports of a way. */
    private boolean isClear(Way way) {
        int shortest = Math.min(state.sizes.ack, state.sizes.dataHeaders + 1);
        int largest = state.spec.transport().payload() + state.sizes.dataHeaders;
        for (int hop = 0; hop < way.hops(); hop++) {
            int port = way.port(hop);
            boolean isSwitched = ports.onSwitch[port ^ 1];
            if (ofPort[port] != null
                    || ports.paused[port]
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
        if ((isLastLegNow && !isOrderKnown()) || log.size() > MOST_LOGGED) {
            ground();
            return;
        }
        isLastLegNow = false;
        for (int i = count - fresh; i < count; i++) {
            if (!flights[i].compute()) {
                ground();
                return;
            }
        }
        if (fresh > 0) {
            long first = heap.planned();
            for (int i = count - fresh; i < count; i++) {
                heap.plan(flights[i].lastLeg, State.LAST_LEG | flights[i].flow);
            }
            log.add(state.now, TrainLog.BETWEEN, first, heap.planned(), TrainLog.NONE, TrainLog.NONE);
            fresh = 0;
        }
    }

    /** Whether all that was planned in this ns was planned by last legs of flights that are alike. */
    private boolean isOrderKnown() {
        @Nullable Flight one = null;
        for (int entry = log.size() - 1; entry >= 0 && log.time(entry) == state.now; entry--) {
            int flow = log.ended(entry);
            if (flow == TrainLog.NONE) {
                if (log.end(entry) > log.first(entry)) {
                    return false;
                }
                continue;
            }
            Flight flight = flights[indexOf(flow)];
            if (one != null && !one.isLike(flight)) {
                return false;
            }
            one = flight;
        }
        return true;
    }

    private int indexOf(int flow) {
        @Nullable Flight flight = ofPort[flows.port[flow]];
        for (int i = 0; i < count; i++) {
            if (flights[i] == flight) {
                return i;
            }
        }
        throw new IllegalStateException("flow " + flow + " is no train");
    }

    /** The last acknowledgement of a flight starts on its last cable. */
    void beginLastLeg(int flow) {
        Flight flight = flights[indexOf(flow)];
        flight.isOnLastLeg = true;
        isLastLegNow = true;
        ended = flow;
        heap.plan(flight.end, State.FLOWN | flow);
    }

    /** A flight is over. */
    void land(int flow) {
        int index = indexOf(flow);
        Flight flight = flights[index];
        flight.settle();
        release(flight);
        System.arraycopy(flights, index + 1, flights, index, count - index - 1);
        flights[--count] = flight;
        state.counters.flights = count;
        flows.flying[flow] = false;
        if (flows.bytes[flow] > state.spec.transport().payload()) {
            queues.choose(flows.port[flow], state.now, false);
        }
    }

    private void release(Flight flight) {
        for (int hop = 0; hop < flight.way.hops(); hop++) {
            ofPort[flight.way.port(hop)] = null;
        }
    }

    /** When a flow that flies last heard of its receiver before now. */
    long lastAnswer(int flow) {
        return flights[indexOf(flow)].lastAnswerBefore(state.now);
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
            log.add(state.now, stamp, firstPlanned, heap.planned(), boarded, ended);
        }
        long base = log.first(0);
        int planned = (int) (heap.planned() - base);
        if (renewed.length < planned) {
            renewed = new long[Math.max(planned, 2 * renewed.length)];
        }
        int left = heap.size();
        pending = heap.drain(pending);
        for (int entry = 0; entry < log.size(); entry++) {
            replay(entry, base);
        }
        putBack(left, base);
        if (isWithin) {
            state.stamp = renew(stamp, base);
        }
        for (int i = 0; i < count; i++) {
            release(flights[i]);
            state.counters.leftOut -= flights[i].isOnLastLeg ? 1 : 0;
        }
        count = 0;
        fresh = 0;
        isLastLegNow = false;
        state.counters.flights = 0;
        log.clear();
    }

    private void replay(int entry, long base) {
        long stamp = log.stamp(entry);
        if (stamp != TrainLog.BETWEEN) {
            long renewedStamp = renew(stamp, base);
            while (frames.step(log.time(entry), renewedStamp)) {
                // All is done in the condition.
            }
            state.now = log.time(entry);
            state.stamp = renewedStamp;
        }
        for (long number = log.first(entry); number < log.end(entry); number++) {
            renewed[(int) (number - base)] = heap.nextStamp() >>> EventHeap.BITS;
        }
        int flow = log.boarded(entry);
        if (flow != TrainLog.NONE && isOpen(flow, log.time(entry))) {
            flows.flying[flow] = false;
            frames.send(flow);
        }
    }

    /** Whether the flow that a log entry started is still under way; its slot may be another's by now. */
    private boolean isOpen(int flow, long start) {
        @Nullable Flight flight = flows.flying[flow] ? ofPort[flows.port[flow]] : null;
        return flight != null && flight.flow == flow && flight.start == start;
    }

    /** The stamp that an event has after all that was planned since {@code base} was planned again. */
    private long renew(long stamp, long base) {
        long number = stamp >>> EventHeap.BITS;
        int what = (int) stamp & (1 << EventHeap.BITS) - 1;
        return number < base ? stamp : renewed[(int) (number - base)] << EventHeap.BITS | what;
    }

    private void putBack(int left, long base) {
        for (int i = 0; i < left; i++) {
            long stamp = pending[2 * i + 1];
            int what = (int) stamp & (1 << EventHeap.BITS) - 1;
            int kind = what & ~State.INDEX;
            if (kind == State.FLOWN || kind == State.LAST_LEG) {
                continue;
            }
            long renewedStamp = renew(stamp, base);
            int index = what & State.INDEX;
            if (kind == State.RETRANSMIT && flows.timer[index] == stamp) {
                flows.timer[index] = renewedStamp;
            }
            heap.add(pending[2 * i], renewedStamp);
        }
    }

    /**
     * Events that were handled while flows passed as trains, in order: all that it takes to go through them again, frame by
     * frame, with the stamps that they would have had.
     */
    private static final class TrainLog {
        /** Instead of a stamp: events were planned between two others. */
        static final long BETWEEN = -1;

        static final int NONE = -1;

        private static final int ROW = 6;

        private long[] rows = new long[64 * ROW];
        private int size;

        void clear() {
            size = 0;
        }

        int size() {
            return size;
        }

        /**
         * Adds an event.
         *
         * @param first number of the first event that it planned
         * @param end number after the last one
         * @param boarded flow that it started as a train, or none
         * @param ended flow whose last leg it began, or none
         */
        void add(long time, long stamp, long first, long end, int boarded, int ended) {
            int at = ROW * size++;
            if (at + ROW > rows.length) {
                rows = Arrays.copyOf(rows, 2 * rows.length);
            }
            rows[at] = time;
            rows[at + 1] = stamp;
            rows[at + 2] = first;
            rows[at + 3] = end;
            rows[at + 4] = boarded;
            rows[at + 5] = ended;
        }

        long time(int entry) {
            return rows[ROW * entry];
        }

        long stamp(int entry) {
            return rows[ROW * entry + 1];
        }

        long first(int entry) {
            return rows[ROW * entry + 2];
        }

        long end(int entry) {
            return rows[ROW * entry + 3];
        }

        int boarded(int entry) {
            return (int) rows[ROW * entry + 4];
        }

        int ended(int entry) {
            return (int) rows[ROW * entry + 5];
        }
    }
}
