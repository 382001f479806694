package dev.stagesim.sim.network.packet.fastpath;

import dev.stagesim.sim.network.packet.event.EventHeap;
import dev.stagesim.sim.network.packet.state.FlowPath;
import dev.stagesim.sim.network.packet.state.FlowQueues;
import dev.stagesim.sim.network.packet.state.Flows;
import dev.stagesim.sim.network.packet.state.FrameSizes;
import dev.stagesim.sim.network.packet.state.PacketSpec;
import dev.stagesim.sim.network.packet.state.State;
import dev.stagesim.sim.network.packet.state.TransportSpec;
import dev.stagesim.sim.network.packet.switching.SwitchSide;
import dev.stagesim.sim.network.packet.topology.Ports;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Fast path of the packet network: simulates a flow as a packet train with two events (last leg and completion) while
 * no two flows share a port.
 *
 * <p>The fast path starts on an idle network. A new flow joins if it shares no port with the active trains, or if a
 * recorded busy period predicts the result. Otherwise, and when a cable fails or the run stops, the fast path is left:
 * all events since its first train are replayed frame by frame, with client events at their places in the order. The
 * network is then in the same state as without trains.
 *
 * <p>The order of events in one ns depends on the times when they were scheduled. If this order is ambiguous between
 * two trains that are not equivalent, the fast path is left as well.
 */
public final class FlowFastPath {
    /** Handles the events that concern frames only. */
    public interface Frames {
        /** Handles the first pending event if it precedes the given position in the order. */
        boolean step(long time, long stamp);

        /** Starts a flow that has had its turn but sent nothing. */
        void send(int flow);

        /** Starts a flow that is not in the list of its port. */
        void enter(int flow);

        /** Restarts a completed flow in a new slot and returns the slot. Its second completion is not reported. */
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
    /** By flow: its train, or null. */
    private @Nullable PacketTrain[] trainOfFlow = new PacketTrain[64];

    /** By start time. Trains of a replayed busy period stay until its end. */
    private PacketTrain[] trains;

    private int count;
    private int completed;
    /** Number of trains without computed times; they are the last ones of {@link #trains}. */
    private int uncomputed;

    public final BusyPeriodCache busyPeriods;
    /** The busy period being replayed, or null. */
    private @Nullable BusyPeriod replayed;
    /** True if all active trains started in this ns and some share a port. */
    private boolean isContended;
    /** True if the lists of ports were empty at the first train, and no individual train has completed since. */
    private boolean hasIdleStart;
    /**
     * State of the replay: number of last legs, whether their order matches, number of restarted trains, current log
     * entry.
     */
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

    public FlowFastPath(State state, FlowQueues queues, SwitchSide switches, boolean isTraced, Frames frames) {
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

    public boolean isActive() {
        return count > 0;
    }

    /** Called before an event that does not concern a frame. */
    public void begin() {
        firstPlanned = heap.planned();
        started = FastPathLog.NONE;
        lastLegOf = FastPathLog.NONE;
        completedNow = FastPathLog.NONE;
    }

    /** Called after such an event. */
    public void end(long stamp) {
        if (count > 0) {
            log.add(state.now, stamp, firstPlanned, heap.planned(), started, lastLegOf, completedNow);
        } else {
            log.clear();
        }
    }

    /** Tries to simulate a flow that starts now at a port as a train. Returns true on success. */
    public boolean tryStart(int flow, int port, int otherFlows) {
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

    /**
     * True if a train may join: it matches the replayed busy period, shares no port, or all trains start in this ns.
     */
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

    /** True if the ports of a path are idle and cannot mark, pause or drop frames of the train. */
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

    /** Called before the clock leaves this ns: computes the times of new trains and checks the order of events. */
    public void advance() {
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

    /**
     * Computes the times of the trains of this ns: from a recorded busy period, or individually. Returns false on
     * failure.
     */
    private boolean computeTimes() {
        if (replayed == null && uncomputed > 0 && uncomputed == count && hasIdleStart) {
            replayed = busyPeriods.find(trains, count);
            if (replayed != null) {
                beginReplay(replayed);
            }
        }
        if (replayed != null) {
            if (count < replayed.size() && trains[0].start + replayed.startedAt[count] == state.now) {
                // The order within a ns is defined only after all of its flows have started.
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

    /** Starts the replay of a busy period. No flow uses its turn while the replay matches. */
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

    /** True if a flow of the busy period is overdue, or will be before the next event. */
    private boolean isLate(BusyPeriod known) {
        if (count == known.size()) {
            return false;
        }
        long due = trains[0].start + known.startedAt[count];
        return due <= state.now || !heap.hasNext() || heap.time() > due;
    }

    /** Sets the queue lengths of the switches for a sample. */
    public void setSampledQueues() {
        if (replayed != null) {
            replayed.queues.applyUntil(state.now - trains[0].start, ports.waiting, busyPeriods.map::of);
        }
    }

    /** True if all events scheduled in this ns were scheduled by last legs of equivalent trains. */
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

    /** The last acknowledgement of a train starts on its last cable. */
    public void beginLastLeg(int flow) {
        PacketTrain train = of(flow);
        train.isOnLastLeg = true;
        isLastLegNow = true;
        lastLegOf = flow;
        heap.plan(train.end, State.TRAIN_DONE | flow);
        if (replayed != null) {
            isInOrder &= replayed.byLastLeg(lastLegs++) == train.number;
        }
    }

    /** A train has completed. */
    public void complete(int flow) {
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

    /** Arrival time of the last acknowledgement of a train before now. */
    public long lastAckBeforeNow(int flow) {
        return of(flow).lastAckBefore(state.now);
    }

    /**
     * Leaves the fast path: replays the log frame by frame, up to the end of the current event.
     *
     * <p>Every event scheduled since the start of the log gets a new stamp, in the order of scheduling of the replay.
     * Pending events are restored with their new stamps.
     */
    public void fallBack() {
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

    /** Reverts the effects of the trains, except the clock. A recording of the busy period may begin. */
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
                // The condition does the work.
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

    /** Called when a flow completes again in the replay: renumbers the events that its first completion scheduled. */
    public void replayCompletion() {
        renumber(replayedEntry);
        replayedEntry = FastPathLog.NONE;
    }

    /** True if the flow of a log entry is still in progress. Its slot may have been reused. */
    private boolean isStillOnFastPath(int flow, long start) {
        return flows.onFastPath[flow] && of(flow).start == start;
    }
}
