package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.autoscaler.Fleet;
import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.gateway.Clients;
import dev.stagesim.feature.cluster.gateway.Gateway;
import dev.stagesim.feature.cluster.instance.BinnedTimeSeries;
import dev.stagesim.feature.cluster.instance.EventSchedule;
import dev.stagesim.feature.cluster.instance.ExpertGroup;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Outcome;
import dev.stagesim.feature.cluster.instance.RequestTimeline.Stage;
import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import dev.stagesim.sim.core.SimulatedTime;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.policy.KvRequest;
import dev.stagesim.sim.serving.policy.LiveRequest;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The event loop of a cluster: merges arrivals, API servers, transfers, operations and the events of the engines in
 * time order.
 *
 * <p>At equal times external events precede the engines, and engines are ordered by number. A tournament tree finds the
 * engine with the next event. Operations (autoscaling, failures) continue while requests are unfinished.
 */
public final class ClusterSim implements Instance.Events, Fleet.Events, Gateway.Events {
    private static final double US_PER_S = 1e6;

    /**
     * Maximum number of consecutive operations without other events. A longer sequence means that the simulation is
     * stuck.
     */
    private static final int MAX_IDLE_OPERATIONS = 200_000;

    private final RequestTrace trace;
    private final boolean areIndependent;
    private final RequestTrace places;
    private final RequestStates states;
    private final ClusterTopology topology;
    private final List<Instance> instances;
    private final RequestTimeline timeline;
    private final KvHandoffs handoffs;
    private final FailureImpact failureImpact;
    private final BinnedTimeSeries series;
    private final ThroughputCounters traffic = new ThroughputCounters();
    private final EventSchedule outside = new EventSchedule();
    private final EventSchedule operations = new EventSchedule();
    private final Fleet fleet;
    private final RequestRemoval removal;
    private final @Nullable Gateway gateway;
    private final @Nullable ClosedLoopSessions sessions;
    private final @Nullable ClosedLoop closedLoop;
    private final Tournament next;
    private final Split split;
    private final double latency;

    /** True if engines run dummy steps. These steps end with the last request. */
    private final boolean hasDummies;

    private final int retries;
    private final boolean isScaled;
    private double now;
    private int done;
    private int arrivals;

    /** Requests in flight of a closed loop, or sessions if turns wait for answers. */
    private int inFlight;

    private int operationsInARow;

    /** True if a request of a closed loop has left. Engines first handle their other events of that time. */
    private boolean isFreed;

    public ClusterSim(ServingClusterSettings cluster, List<PoolPlan> pools, RequestTrace trace) {
        this(cluster, pools, trace, RoutingPolicyOverride.NONE);
    }

    public ClusterSim(
            ServingClusterSettings cluster, List<PoolPlan> pools, RequestTrace trace, RoutingPolicyOverride routing) {
        this(cluster, pools, trace, routing, false);
    }

    /** Creates a simulation of a complete run. Instances are simulated independently if possible. */
    public static ClusterSim create(
            ServingClusterSettings cluster, List<PoolPlan> pools, RequestTrace trace, RoutingPolicyOverride routing) {
        return new ClusterSim(
                cluster, pools, trace, routing, IndependentInstances.isPossible(cluster, pools, trace, routing));
    }

    private ClusterSim(
            ServingClusterSettings cluster,
            List<PoolPlan> pools,
            RequestTrace trace,
            RoutingPolicyOverride routing,
            boolean independent) {
        this.trace = trace;
        closedLoop = trace.closedLoop().orElse(null);
        areIndependent = independent;
        timeline = new RequestTimeline(trace.size());
        // per-request state of instances; independent instances have their own
        int size = areIndependent ? 0 : trace.size();
        places = ClusterTopology.places(areIndependent ? trace.part(new int[0]) : trace);
        @Nullable KvRequest[] senders = new KvRequest[size];
        int moving = pools.size() * Instance.SIGNALS_PER_POOL;
        series = new BinnedTimeSeries(moving + 1);
        Instance.Shared shared = Instance.Shared.of(timeline, this, places, senders, series);
        topology = ClusterTopology.of(cluster, pools, trace, shared, routing);
        instances = topology.instances();
        if (!areIndependent) {
            instances.forEach(Instance::begin);
        }
        hasDummies = instances.stream().anyMatch(Instance::runsInLockstep);
        split = cluster.split().orElse(new Split.Always());
        Transfer transfer = cluster.transfer().orElse(Transfer.DEFAULT);
        latency = transfer.latencyUs() / US_PER_S;
        handoffs = new KvHandoffs(timeline, instances, topology.carrier(transfer, size), senders, series, moving);
        states = shared.states();
        failureImpact = new FailureImpact(timeline, trace, shared.states(), handoffs);
        next = new Tournament(instances.size(), Double.POSITIVE_INFINITY);
        isScaled = pools.stream().anyMatch(pool -> pool.scaling().isPresent());
        retries = cluster.failures().map(FailureSettings::retries).orElse(0);
        sessions = ClosedLoopSessions.of(cluster.sessions(), trace);
        gateway = cluster.gateway()
                .map(set -> new Gateway(set, new Clients(set, trace, timeline), timeline, operations, this))
                .orElse(null);
        fleet = new Fleet(pools, instances, operations, series, this);
        removal = new RequestRemoval(topology, timeline, handoffs, fleet, next);
        fleet.begin(cluster.failures());
        topology.experts().forEach(group -> group.begin(instances, operations));
        new PendingRequests(pools, topology, timeline, gateway, traffic)
                .begin(cluster.pools(), fleet, instances, operations);
    }

    /** Runs until all requests have finished. */
    public RequestTimeline run() {
        if (areIndependent) {
            now = new IndependentInstances(topology, trace, timeline, series).run();
            done = Math.toIntExact(Arrays.stream(timeline.outcome)
                    .filter(outcome -> outcome == Outcome.COMPLETED)
                    .count());
        }
        while (!areIndependent && step()) {
            if (!SimulatedTime.isRepresentable(now)) {
                throw ClusterErrors.endless();
            }
        }
        if (done < trace.size()) {
            throw operationsInARow > MAX_IDLE_OPERATIONS
                    ? ClusterErrors.unopened(timeline, isScaled)
                    : ClusterErrors.stuck(timeline, trace);
        }
        handoffs.account(now);
        instances.forEach(instance -> instance.settle(now));
        fleet.settle(now);
        return timeline;
    }

    /** Runs until the first event after {@code seconds}. */
    public RequestTimeline runTo(double seconds) {
        while (now <= seconds && step()) {
            // step does the work
        }
        return timeline;
    }

    /** Processes the next event. Returns false if there is none. */
    private boolean step() {
        while (sessions != null && arrivals < trace.size() && sessions.turn(arrivals) > 0) {
            arrivals++;
        }
        double arrival = nextArrival();
        double event = outside.next();
        double operation = done < trace.size() ? operations.next() : Double.POSITIVE_INFINITY;
        double other = Math.min(Math.min(arrival, event), next.value());
        double end = handoffs.nextSeconds(Math.min(other, operation));
        double work = Math.min(other, end);
        double first = Math.min(work, operation);
        boolean isServed = hasDummies && done == trace.size() && Math.min(event, end) == Double.POSITIVE_INFINITY;
        operationsInARow = work == Double.POSITIVE_INFINITY ? operationsInARow + 1 : 0;
        if (first == Double.POSITIVE_INFINITY || isServed || operationsInARow > MAX_IDLE_OPERATIONS) {
            return false;
        }
        now = Math.max(now, first);
        if (arrival == first && !(isFreed && next.value() == first)) {
            isFreed = false;
            inFlight++;
            arrive(arrivals++);
        } else if (event == first) {
            outside.run();
        } else if (end == first) {
            int request = handoffs.end(now);
            int attempt = timeline.attempts[request];
            outside.plan(now + latency, () -> deliver(request, attempt));
        } else if (operation == first) {
            operations.run();
        } else {
            Instance instance = instances.get(next.least());
            instance.engine().step();
            instance.compareBy(next);
        }
        return true;
    }

    /** Returns the time of the next arrival; in a closed loop, the time at which the next request can enter. */
    private double nextArrival() {
        if (arrivals == trace.size()) {
            return Double.POSITIVE_INFINITY;
        }
        double arrival = trace.arrivalSeconds(arrivals);
        return closedLoop == null ? arrival : Math.max(Math.max(arrival, now), closedLoop.opensAt(inFlight));
    }

    private void arrive(int request) {
        timeline.arrived[request] = now;
        traffic.arrived(trace.prefillTokens(request));
        if (gateway == null) {
            dispatch(request);
        } else {
            gateway.arrive(request, now);
        }
    }

    @Override
    public int open() {
        return topology.open();
    }

    @Override
    public void dispatch(int request) {
        if (split instanceof Split.Missing missing0 && topology.has(PoolRole.PREFILL)) {
            decodeFirst(request, missing0.tokens());
            return;
        }
        boolean isSplit = topology.has(PoolRole.PREFILL)
                && trace.decodeTokens(request) > 1
                && (split instanceof Split.Always
                        || (split instanceof Split.LongerThan longer
                                && trace.prefillTokens(request) > longer.tokens()));
        boolean promptOnly = topology.has(PoolRole.PREFILL) && split instanceof Split.Always;
        timeline.isSplit[request] = isSplit;
        PoolRole role = isSplit || promptOnly
                ? PoolRole.PREFILL
                : topology.has(PoolRole.BOTH) ? PoolRole.BOTH : PoolRole.DECODE;
        PoolRouter poolRouter = topology.poolRouter(role);
        if (poolRouter.open() == 0) {
            poolRouter.pending().add(request);
            return;
        }
        if (isSplit && topology.reservesFirst()) {
            PoolRouter decode = topology.poolRouter(PoolRole.DECODE);
            if (decode.open() == 0) {
                decode.pending().add(request);
                return;
            }
            timeline.second[request] = send(request, decode, false).number;
        }
        begin(request, send(request, poolRouter, true));
    }

    /**
     * Chooses the decode instance first, and a prefill instance if the decode instance lacks more than {@code limit}
     * tokens of the prompt.
     */
    private void decodeFirst(int request, int limit) {
        PoolRouter decode = topology.poolRouter(PoolRole.DECODE);
        if (decode.open() == 0) {
            decode.pending().add(request);
            return;
        }
        int second = decode.decide(request, false, now);
        int missing = trace.prefillTokens(request) - decode.cached(request, second);
        timeline.isSplit[request] = trace.decodeTokens(request) > 1 && missing > limit;
        if (!timeline.isSplit[request]) {
            begin(request, take(request, decode, second, true));
            return;
        }
        PoolRouter prefill = topology.poolRouter(PoolRole.PREFILL);
        if (prefill.open() == 0) {
            prefill.pending().add(request);
            return;
        }
        timeline.planned[request] = second;
        begin(request, send(request, prefill, true));
    }

    private void begin(int request, Instance instance) {
        timeline.routed[request] = now;
        timeline.first[request] = instance.number;
        timeline.stage[request] = Stage.SENT;
        int attempt = timeline.attempts[request];
        double door = instance.pool.serverSeconds(trace.prefillTokens(request));
        outside.plan(now + door, () -> enter(request, attempt));
    }

    private Instance send(int request, PoolRouter poolRouter, boolean hasPrompt) {
        return take(request, poolRouter, poolRouter.decide(request, hasPrompt, now), hasPrompt);
    }

    private Instance take(int request, PoolRouter poolRouter, int number, boolean hasPrompt) {
        poolRouter.take(request, number, hasPrompt);
        Instance instance = instances.get(number);
        instance.requests++;
        instance.present++;
        return instance;
    }

    /** Returns true if the request is still in the state for which an event was scheduled. */
    private boolean isAt(int request, int attempt, Stage stage) {
        return timeline.attempts[request] == attempt && timeline.stage[request] == stage;
    }

    private void enter(int request, int attempt) {
        if (!isAt(request, attempt, Stage.SENT)) {
            return;
        }
        timeline.entered[request] = now;
        if (topology.reservesFirst() && timeline.isSplit[request]) {
            timeline.stage[request] = Stage.RESERVING;
            placeSecond(request, timeline.routed[request]);
        } else {
            placeFirst(request);
        }
    }

    private void placeFirst(int request) {
        timeline.stage[request] = Stage.IN_FIRST;
        int outputs = timeline.isSplit[request] ? 1 : trace.decodeTokens(request);
        place(2 * request, timeline.routed[request], trace.prefillTokens(request), outputs, timeline.first[request]);
    }

    private void placeSecond(int request, double received) {
        int prompt = trace.prefillTokens(request) + 1;
        place(2 * request + 1, received, prompt, trace.decodeTokens(request) - 1, timeline.second[request]);
    }

    private void hand(int request, int attempt) {
        if (isAt(request, attempt, Stage.BETWEEN)) {
            timeline.stage[request] = Stage.IN_SECOND;
            timeline.handed[request] = now;
            placeSecond(request, now);
        }
    }

    private void deliver(int request, int attempt) {
        if (isAt(request, attempt, Stage.IN_SECOND)) {
            timeline.moved[request] = now;
            removal.moved(timeline.second[request], Objects.requireNonNull(handoffs.takeReceiver(request)), true, now);
            removal.release(request, now);
        }
    }

    /** Places a request in an engine. Engines order requests by the time when their API server received them. */
    private void place(int place, double received, int prompt, int output, int number) {
        places.setArrival(place, received, prompt, output);
        Instance instance = instances.get(number);
        instance.place(place, prompt, now);
        instance.compareBy(next);
    }

    @Override
    public void prefilled(int request, Instance instance) {
        if (timeline.isOpen(request)) {
            topology.poolRouter(instance.pool.role()).prefilled(request, instance.number);
        }
    }

    @Override
    public void done(int request, Instance instance, boolean isLater) {
        boolean isWhole = isLater || !timeline.isSplit[request];
        if (!timeline.isOpen(request)) {
            return;
        }
        topology.poolRouter(instance.pool.role()).done(request, instance.number, isWhole);
        if (isWhole) {
            over(request, Outcome.COMPLETED);
            removal.leave(instance, now);
        } else {
            timeline.stage[request] = Stage.BETWEEN;
            handOver(request);
        }
    }

    private void handOver(int request) {
        if (topology.reservesFirst()) {
            timeline.stage[request] = Stage.IN_SECOND;
            timeline.handed[request] = now;
            handoffs.startReserved(request, trace.prefillTokens(request), now);
            return;
        }
        PoolRouter poolRouter = topology.poolRouter(PoolRole.DECODE);
        if (poolRouter.open() == 0) {
            poolRouter.pending().add(request);
            return;
        }
        int planned = timeline.planned[request];
        Instance second = planned >= 0 && poolRouter.isOpen(planned)
                ? take(request, poolRouter, planned, false)
                : send(request, poolRouter, false);
        timeline.second[request] = second.number;
        int attempt = timeline.attempts[request];
        // the prompt arrives tokenised, so it has no tokenisation time
        outside.plan(now + second.pool.serverSeconds(0), () -> hand(request, attempt));
    }

    private void over(int request, Outcome outcome) {
        timeline.outcome[request] = outcome;
        timeline.ended[request] = outcome == Outcome.COMPLETED ? Double.NaN : now;
        timeline.stage[request] = Stage.OVER;
        done++;
        if (closedLoop != null && (sessions == null || sessions.next(request) < 0)) {
            inFlight--;
            isFreed = true;
        }
        operationsInARow = 0;
        if (outcome == Outcome.COMPLETED) {
            double from = timeline.arrived[request];
            traffic.completed(trace.decodeTokens(request), timeline.firstToken[request] - from, now - from);
        }
        if (gateway != null) {
            gateway.finished(request, outcome);
        }
        if (sessions != null) {
            follow(sessions, request, outcome);
        }
    }

    private void follow(ClosedLoopSessions turns, int request, Outcome outcome) {
        int next = turns.next(request);
        if (next >= 0 && outcome == Outcome.COMPLETED) {
            outside.plan(now + turns.gap(next), () -> arrive(next));
        } else if (next >= 0) {
            timeline.arrived[next] = Double.NaN;
            over(next, Outcome.ABANDONED);
        }
    }

    @Override
    public void requestKv(int request, int tokens, KvRequest receiver) {
        if (timeline.stage[request] != Stage.RESERVING) {
            handoffs.start(request, tokens, receiver, now);
            return;
        }
        handoffs.reserve(request, receiver);
        int attempt = timeline.attempts[request];
        // called while the decode instance plans a step; the prefill instance is notified by an event
        outside.plan(now + latency, () -> {
            if (isAt(request, attempt, Stage.RESERVING)) {
                placeFirst(request);
            }
        });
    }

    @Override
    public void reads(Instance instance, LiveRequest request, double end) {
        ServingSimulator engine = instance.engine();
        outside.plan(end, () -> {
            if (instance.engine() == engine) {
                removal.moved(instance.number, request, true, now);
            }
        });
    }

    @Override
    public double now() {
        return now;
    }

    @Override
    public void prefillReleased(int request) {
        // called while the decode instance plans a step; the prefill instance is notified by an event, as after a
        // transfer
        outside.plan(now, () -> removal.release(request, now));
    }

    @Override
    public void opens(Instance instance, boolean isOpen) {
        PoolRouter poolRouter = topology.poolRouter(instance.pool.role());
        if (!isOpen) {
            poolRouter.close(instance.number);
            return;
        }
        // a new instance with an empty cache
        instance.fail(now);
        instance.compareBy(next);
        poolRouter.open(instance.number);
        while (!poolRouter.pending().isEmpty()) {
            int request = poolRouter.pending().remove();
            if (timeline.stage[request] == Stage.OUTSIDE && timeline.isOpen(request)) {
                dispatch(request);
            } else if (timeline.stage[request] == Stage.BETWEEN && !timeline.isHandedOff(request)) {
                handOver(request);
            }
        }
        if (gateway != null) {
            gateway.next();
        }
    }

    /** Returns the output tokens of a request, summed over prefill and decode instance. */
    @Override
    public int produced(int request) {
        int tokens = states.emittedTokens(2 * request) + states.emittedTokens(2 * request + 1);
        return Math.min(tokens, trace.decodeTokens(request));
    }

    @Override
    public void abort(int request, Outcome outcome) {
        timeline.outcome[request] = outcome;
        if (timeline.stage[request] != Stage.OUTSIDE) {
            removal.detach(request, null, now);
        }
        over(request, outcome);
    }

    @Override
    public void fails(Instance instance) {
        List<Integer> lost = failureImpact.requests(instance.number, sessions == null ? arrivals : trace.size());
        lost.forEach(request -> removal.detach(request, instance, now));
        instance.fail(now);
        instance.compareBy(next);
        lost.forEach(this::retry);
    }

    private void retry(int request) {
        timeline.resetForRetry(request, now);
        if (timeline.attempts[request] > retries) {
            over(request, Outcome.LOST);
        } else {
            dispatch(request);
        }
    }

    public List<Instance> instances() {
        return instances;
    }

    public RequestTimeline timeline() {
        return timeline;
    }

    public Fleet fleet() {
        return fleet;
    }

    /** Returns the tokens that failed instances had computed for unfinished requests. */
    public long lostTokens() {
        return failureImpact.tokens();
    }

    /** Returns the expert groups of the pools that share experts. */
    public List<ExpertGroup> experts() {
        return topology.experts();
    }

    /** Returns the KV event buses of the pools that publish events. */
    public List<KvEventBus> kvEvents() {
        return topology.kvEvents();
    }

    public BinnedTimeSeries series() {
        return series;
    }

    public double seconds() {
        return now;
    }

    public Optional<Gateway> gateway() {
        return Optional.ofNullable(gateway);
    }

    public Optional<ClosedLoopSessions> sessions() {
        return Optional.ofNullable(sessions);
    }

    public KvHandoffs handoffs() {
        return handoffs;
    }
}
