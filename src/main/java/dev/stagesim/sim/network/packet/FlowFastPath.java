package dev.stagesim.sim.network.packet;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Flows that pass as trains, two events for all of their frames, while no two of them share a port.
 *
 * <p>Flights begin on a network without frames. A flow that starts later joins them when its ports are no other's, and
 * ends them all when it would meet previous, or when a cable fails or the run stops: then everything since the first of them
 * started is gone through again, frame by frame, with what clients did meanwhile at its place in the order, which leaves
 * the network as if there had been no trains. The order of events at previous ns follows from when each was planned; where
 * that is another event's ns as well and the two flights are not alike, they are ended, too.
 */
final class FlowFastPath {
    /** Goes through the events that only concern frames. */
    interface Frames {
        /** Handles the first pending event if it is before the given place in the order. */
        boolean step(long time, long stamp);

        /** Starts a flow whose turn was taken and of which nothing was sent. */
        void send(int flow);

        /** Starts a flow that is in no list of its port yet. */
        void enter(int flow);

        /** Starts a flow that is over again, in a slot of its own, and returns the slot; nobody hears of its end. */
        int restart(PacketTrain train);
    }

    private static final int MAX_FRAME = 4096;
    private static final int MAX_LOGGED = 1 << 16;

    private final State state;
    private final Ports ports;
    private final Flows flows;
    private final EventHeap heap;
    private final FlowQueues queues;
    private final SwitchSide switches;
    private final Frames frames;
    private final boolean possible;

    private final FastPathLog log = new FastPathLog();
    private final @Nullable PacketTrain[] trainOfPort;
    /** By flow: its flight, if it flies. */
    private @Nullable PacketTrain[] trainOfFlow = new PacketTrain[64];

    /** In order of their starts; those of a round stay when they have landed. */
    private PacketTrain[] trains;

    private int count;
    private int completed;
    /** Flights that are not computed yet, the last ones of {@link #trains}. */
    private int uncomputed;

    final BusyPeriodCache busyPeriods;
    /** The round that is gone through again. */
    private @Nullable BusyPeriod replayed;
    /** Whether flights that began in this ns, all there are, meet. */
    private boolean isContended;
    /** Whether nothing was left in the lists of ports when the first flight began, and none has landed by itself since. */
    private boolean hasIdleStart;
    /** Last legs of the round that began, whether they did in its order, and the log entry that is gone through again. */
    private int lastLegs;

    private boolean isInOrder;
    private int restarted;
    private int replayedEntry = FastPathLog.NONE;

    private int started = FastPathLog.NONE;
    private int lastLegOf = FastPathLog.NONE;
    private int completedNow = FastPathLog.NONE;
    private boolean isLastLegNow;
    private long firstPlanned;
    private final EventRenumbering numbers;

    FlowFastPath(State state, FlowQueues queues, SwitchSide switches, boolean isTraced, Frames frames) {
        this.state = state;
        this.queues = queues;
        this.switches = switches;
        this.frames = frames;
        ports = state.ports;
        flows = state.flows;
        heap = state.heap;
        trainOfPort = new PacketTrain[ports.count];
        trains = new PacketTrain[] {new PacketTrain(state)};
        possible = isPossible(state.spec, isTraced, state.sizes);
        busyPeriods = new BusyPeriodCache(state, queues, switches);
        numbers = new EventRenumbering(heap, flows);
    }

    private static boolean isPossible(PacketSpec spec, boolean isTraced, FrameSizes sizes) {
        TransportSpec transport = spec.transport();
        boolean isLossy =
                spec.lossRate() > 0 || spec.topology().cables().stream().anyMatch(cable -> cable.lossRate() > 0);
        return spec.congestion().isConstantWhenUncontended()
                && !isTraced
                && !isLossy
                && transport.stalls() == 0
                && transport.ackFrom() <= 1
                && !spec.paths().spray()
                && !spec.paths().forwarding()
                && !transport.backToChunk()
                && transport.payload() + sizes.dataHeaders <= MAX_FRAME;
    }

    boolean isActive() {
        return count > 0;
    }

    /** An event that is not a frame's is about to be handled. */
    void begin() {
        firstPlanned = heap.planned();
        started = FastPathLog.NONE;
        lastLegOf = FastPathLog.NONE;
        completedNow = FastPathLog.NONE;
    }

    /** It was handled. */
    void end(long stamp) {
        if (count > 0) {
            log.add(state.now, stamp, firstPlanned, heap.planned(), started, lastLegOf, completedNow);
        } else {
            log.clear();
        }
    }

    /** Whether a flow that starts now at a port, in the event being handled, passes as a train. */
    boolean tryStart(int flow, int port, int otherFlows) {
        if (!possible || !state.fastPath) {
            return false;
        }
        if (busyPeriods.isRecording()) {
            busyPeriods.addFlow(flow, port);
            return false;
        }
        PacketTrain train = spare();
        boolean mayFly = otherFlows == count - completed
                && state.packets.live() == 0
                && state.near.size() == 0
                && state.counters.periodic == 0
                && queues.pendingWakes() == 0
                && flows.bytes[flow] >= 1
                && train.path.find(flow, port)
                && isClear(train.path);
        if (mayFly) {
            train.assign(flow);
        }
        if (!mayFly || !canJoin(train)) {
            if (count > 0) {
                fallBack();
                if (busyPeriods.isRecording()) {
                    busyPeriods.addFlow(flow, port);
                }
            }
            return false;
        }
        add(train, port);
        return true;
    }

    private PacketTrain spare() {
        if (count == trains.length) {
            trains = Arrays.copyOf(trains, 2 * count);
            for (int i = count; i < trains.length; i++) {
                trains[i] = new PacketTrain(state);
            }
        }
        return trains[count];
    }

    /** Whether a flight may begin beside the others: as their round has it, or apart from them, or in previous ns with all. */
    private boolean canJoin(PacketTrain train) {
        if (replayed != null) {
            int lastTurn = queues.lastTurn(train.path.port(0));
            return replayed.matches(count, state.now - trains[0].start, train, lastTurn, busyPeriods.map);
        }
        if (!isContended && !sharesPort(train.path)) {
            return true;
        }
        isContended = uncomputed == count && hasIdleStart && busyPeriods.canRecord();
        return isContended;
    }

    private boolean sharesPort(FlowPath path) {
        for (int hop = 0; hop < path.hops(); hop++) {
            if (trainOfPort[path.port(hop)] != null) {
                return true;
            }
        }
        return false;
    }

    private void add(PacketTrain train, int port) {
        int flow = train.flow;
        if (count == 0) {
            log.clear();
            hasIdleStart = queues.entries() == 0;
        }
        if (flow >= trainOfFlow.length) {
            trainOfFlow = Arrays.copyOf(trainOfFlow, 2 * flow);
        }
        trainOfFlow[flow] = train;
        flows.onFastPath[flow] = true;
        train.number = count;
        if (replayed == null && !isContended) {
            train.isQueued = true;
            queues.add(port, flow);
            queues.choose(port, state.now, false);
            for (int hop = 0; hop < train.path.hops(); hop++) {
                trainOfPort[train.path.port(hop)] = train;
            }
        }
        count++;
        uncomputed++;
        state.counters.trains = count - completed;
        started = flow;
    }

    /** Whether nothing is, or could come to be, at the ports of a way. */
    private boolean isClear(FlowPath path) {
        int shortest = Math.min(state.sizes.ack, state.sizes.dataHeaders + 1);
        int largest = state.spec.transport().payload() + state.sizes.dataHeaders;
        for (int hop = 0; hop < path.hops(); hop++) {
            int port = path.port(hop);
            boolean isSwitched = ports.onSwitch[port ^ 1];
            if (ports.paused[port]
                    || !ports.up[port]
                    || ports.freeAt[port] >= state.now
                    || ports.times[port].of(shortest) == 0
                    || (isSwitched
                            && !switches.isTransparent(
                                    port ^ 1, hop < path.forwardHops() ? largest : state.sizes.ack))) {
                return false;
            }
        }
        return true;
    }

    /** The clock is about to leave this ns: works out flights that began in it, and whether their order is known. */
    void advance() {
        if ((isLastLegNow && !isOrderKnown()) || log.size() > MAX_LOGGED || !computeTimes()) {
            fallBack();
            return;
        }
        isLastLegNow = false;
        if (uncomputed > 0) {
            long first = heap.planned();
            for (int i = count - uncomputed; i < count; i++) {
                PacketTrain train = trains[replayed == null ? i : replayed.leg(i)];
                heap.plan(train.lastLeg, State.LAST_LEG | train.flow);
            }
            log.add(
                    state.now,
                    FastPathLog.BETWEEN,
                    first,
                    heap.planned(),
                    FastPathLog.NONE,
                    FastPathLog.NONE,
                    FastPathLog.NONE);
            uncomputed = 0;
        }
        if (replayed != null && isLate(replayed)) {
            fallBack();
        }
    }

    /** Works out the times of flights that began in this ns: from a round, or of each by itself. */
    private boolean computeTimes() {
        if (replayed == null && uncomputed > 0 && uncomputed == count && hasIdleStart) {
            replayed = busyPeriods.find(trains, count);
            if (replayed != null) {
                beginReplay(replayed);
            }
        }
        if (replayed != null) {
            if (count < replayed.size() && trains[0].start + replayed.startedAt[count] == state.now) {
                // The order within a ns is that of all the flows that start in it.
                return false;
            }
            for (int i = count - uncomputed; i < count; i++) {
                trains[i].lastLeg = trains[0].start + replayed.lastLegAt[i];
                trains[i].end = trains[0].start + replayed.endedAt[i];
            }
            return true;
        }
        for (int i = count - uncomputed; i < count; i++) {
            if (isContended || !trains[i].compute()) {
                return false;
            }
        }
        return true;
    }

    /** Nobody's turns are taken as long as the round goes on as it did. */
    private void beginReplay(BusyPeriod known) {
        for (int i = 0; i < count; i++) {
            if (trains[i].isQueued) {
                trains[i].isQueued = false;
                queues.clear(flows.port[trains[i].flow]);
                release(trains[i]);
            }
        }
        isContended = false;
        lastLegs = 0;
        isInOrder = true;
        known.queues.rewind();
    }

    /** Whether a flow of a round has not started by now, or will not before the next event. */
    private boolean isLate(BusyPeriod known) {
        if (count == known.size()) {
            return false;
        }
        long due = trains[0].start + known.startedAt[count];
        return due <= state.now || !heap.hasNext() || heap.time() > due;
    }

    /** A sample is due: tells what waits at switches now. */
    void setSampledQueues() {
        if (replayed != null) {
            replayed.queues.applyUntil(state.now - trains[0].start, ports.waiting, busyPeriods.map);
        }
    }

    /** Whether all that was planned in this ns was planned by last legs of flights that are alike. */
    private boolean isOrderKnown() {
        if (replayed != null && !isInOrder) {
            return false;
        }
        @Nullable PacketTrain previous = null;
        for (int entry = log.size() - 1; entry >= 0 && log.time(entry) == state.now; entry--) {
            int flow = log.lastLegOf(entry);
            if (flow == FastPathLog.NONE) {
                if (log.end(entry) > log.first(entry)) {
                    return false;
                }
                continue;
            }
            PacketTrain train = of(flow);
            if (replayed == null && previous != null && !previous.hasSameTimes(train)) {
                return false;
            }
            previous = train;
        }
        return true;
    }

    private PacketTrain of(int flow) {
        @Nullable PacketTrain train = trainOfFlow[flow];
        if (train == null || train.flow != flow) {
            throw new IllegalStateException("flow " + flow + " is no train");
        }
        return train;
    }

    /** The last acknowledgement of a flight starts on its last cable. */
    void beginLastLeg(int flow) {
        PacketTrain train = of(flow);
        train.isOnLastLeg = true;
        isLastLegNow = true;
        lastLegOf = flow;
        heap.plan(train.end, State.TRAIN_DONE | flow);
        if (replayed != null) {
            isInOrder &= replayed.inOrder(lastLegs++) == train.number;
        }
    }

    /** A flight is over. */
    void complete(int flow) {
        PacketTrain train = of(flow);
        flows.onFastPath[flow] = false;
        if (replayed != null) {
            train.isCompleted = true;
            completedNow = flow;
            completed++;
            if (completed == replayed.size()) {
                finishReplay(replayed);
            }
        } else {
            train.addToCounters();
            release(train);
            int index = 0;
            while (trains[index] != train) {
                index++;
            }
            System.arraycopy(trains, index + 1, trains, index, count - index - 1);
            trains[--count] = train;
            hasIdleStart = false;
            if (flows.bytes[flow] > state.spec.transport().payload()) {
                queues.choose(flows.port[flow], state.now, false);
            }
        }
        state.counters.trains = count - completed;
    }

    private void finishReplay(BusyPeriod known) {
        long frames = known.ports.addTo(ports, busyPeriods.map);
        known.ports.clearQueues(ports.waiting, busyPeriods.map);
        known.setLastTurns(queues, busyPeriods.map);
        state.counters.skippedEvents += 2 * frames + known.wakes - 2L * known.size();
        count = 0;
        completed = 0;
        replayed = null;
    }

    private void release(PacketTrain train) {
        for (int hop = 0; hop < train.path.hops(); hop++) {
            trainOfPort[train.path.port(hop)] = null;
        }
    }

    /** When a flow that flies last heard of its receiver before now. */
    long lastAckBeforeNow(int flow) {
        return of(flow).lastAckBefore(state.now);
    }

    /**
     * Ends all flights: goes through the log frame by frame, up to the end of the event being handled, if previous is.
     *
     * <p>Every event that was planned since the log begins gets a new stamp, in the order in which it would have been
     * planned; pending ones are put in again with theirs.
     */
    void fallBack() {
        long stamp = state.stamp;
        boolean isWithin = state.isHandling;
        if (isWithin) {
            log.add(state.now, stamp, firstPlanned, heap.planned(), started, lastLegOf, completedNow);
        }
        numbers.begin(log.first(0));
        discardTrains();
        for (int entry = 0; entry < log.size(); entry++) {
            replay(entry);
        }
        numbers.putBack();
        if (isWithin) {
            state.stamp = numbers.stamp(stamp);
        }
        count = 0;
        completed = 0;
        uncomputed = 0;
        isContended = false;
        replayed = null;
        isLastLegNow = false;
        state.counters.trains = 0;
        log.clear();
    }

    /** Takes back what flights changed, but for the clock; a round may begin with them. */
    private void discardTrains() {
        for (int i = 0; i < count; i++) {
            release(trains[i]);
            state.counters.skippedEvents -= (trains[i].isOnLastLeg ? 1 : 0) + (trains[i].isCompleted ? 1 : 0);
        }
        if (replayed != null) {
            replayed.ports.clearQueues(ports.waiting, busyPeriods.map);
        }
        if (hasIdleStart && busyPeriods.canRecord()) {
            busyPeriods.begin(trains, count);
        }
        restarted = 0;
    }

    private void replay(int entry) {
        if (log.completed(entry) != FastPathLog.NONE) {
            replayedEntry = entry;
            while (replayedEntry != FastPathLog.NONE) {
                if (!frames.step(Long.MAX_VALUE, Long.MAX_VALUE)) {
                    throw new IllegalStateException("a flow of a round does not end again");
                }
            }
            return;
        }
        long stamp = log.stamp(entry);
        if (stamp != FastPathLog.BETWEEN) {
            long renewedStamp = numbers.stamp(stamp);
            while (frames.step(log.time(entry), renewedStamp)) {
                // All is done in the condition.
            }
            state.now = log.time(entry);
            state.stamp = renewedStamp;
        }
        renumber(entry);
        int flow = log.started(entry);
        if (flow == FastPathLog.NONE) {
            return;
        }
        if (replayed != null || isContended) {
            restart(trains[restarted++]);
        } else if (isStillOnFastPath(flow, log.time(entry))) {
            flows.onFastPath[flow] = false;
            frames.send(flow);
        }
    }

    private void renumber(int entry) {
        numbers.plan(log.first(entry), log.end(entry));
    }

    private void restart(PacketTrain train) {
        if (train.isCompleted) {
            busyPeriods.setNumber(frames.restart(train), train.number);
            return;
        }
        flows.onFastPath[train.flow] = false;
        if (train.isQueued) {
            frames.send(train.flow);
        } else {
            frames.enter(train.flow);
        }
    }

    /** A flow that was over before is over again: what its end planned has its place in the order now. */
    void replayCompletion() {
        renumber(replayedEntry);
        replayedEntry = FastPathLog.NONE;
    }

    /** Whether the flow that a log entry started is still under way; its slot may be another's by now. */
    private boolean isStillOnFastPath(int flow, long start) {
        return flows.onFastPath[flow] && of(flow).start == start;
    }
}
