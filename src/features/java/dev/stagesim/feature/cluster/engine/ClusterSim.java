package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.autoscaler.Fleet;
import dev.stagesim.feature.cluster.cache.CacheNews;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.gateway.Clients;
import dev.stagesim.feature.cluster.gateway.Gateway;
import dev.stagesim.feature.cluster.instance.ExpertGroup;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.Life;
import dev.stagesim.feature.cluster.instance.Life.Outcome;
import dev.stagesim.feature.cluster.instance.Life.Stage;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Series;
import dev.stagesim.feature.cluster.instance.Timeline;
import dev.stagesim.feature.cluster.instance.Traffic;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.SimulatedTime;
import dev.stagesim.sim.serving.policy.LiveRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The event loop of a cluster: arrivals, API servers, transfers and operations beside the events of the engines, the
 * earliest first.
 *
 * <p>At the same time what comes from outside goes before the engines, and engines go by number. A tournament finds the
 * engine whose event is next. Operations (scaling, failures) go on while there are requests.
 */
public final class ClusterSim implements Instance.Events, Fleet.Events, Gateway.Events {
    private static final double US_PER_S = 1e6;

    /** Operations in a row after which nothing else is expected any more. */
    private static final int MOST_OPERATIONS = 200_000;

    private final RequestTrace trace;
    private final boolean isApart;
    private final RequestTrace places;
    private final RequestStates states;
    private final Layout layout;
    private final List<Instance> instances;
    private final Life life;
    private final Handovers handovers;
    private final Losses losses;
    private final Series series;
    private final Traffic traffic = new Traffic();
    private final Timeline outside = new Timeline();
    private final Timeline operations = new Timeline();
    private final Fleet fleet;
    private final Departures departures;
    private final @Nullable Gateway gateway;
    private final @Nullable Sessions sessions;
    private final Tournament next;
    private final Split split;
    private final double latency;

    /** Whether engines run steps without requests, which nobody waits for when all are served. */
    private final boolean hasDummies;

    private final int retries;
    private final boolean isScaled;
    private double now;
    private int done;
    private int arrivals;
    private int operationsInARow;

    public ClusterSim(ServingClusterSettings cluster, List<PoolPlan> pools, RequestTrace trace) {
        this(cluster, pools, trace, Course.ROUTERS);
    }

    public ClusterSim(ServingClusterSettings cluster, List<PoolPlan> pools, RequestTrace trace, Course course) {
        this(cluster, pools, trace, course, false);
    }

    /** The same for all requests, which instances serve one by one where they know nothing of each other. */
    public static ClusterSim whole(
            ServingClusterSettings cluster, List<PoolPlan> pools, RequestTrace trace, Course course) {
        return new ClusterSim(cluster, pools, trace, course, Apart.isPossible(cluster, pools, trace, course));
    }

    private ClusterSim(
            ServingClusterSettings cluster,
            List<PoolPlan> pools,
            RequestTrace trace,
            Course course,
            boolean areInstancesApart) {
        this.trace = trace;
        isApart = areInstancesApart;
        life = new Life(trace.size());
        // what instances have of requests while they serve them, where that is not kept for each
        int size = isApart ? 0 : trace.size();
        places = Layout.places(isApart ? trace.part(new int[0]) : trace);
        @Nullable LiveRequest[] senders = new LiveRequest[size];
        int moving = pools.size() * Instance.FUNCTIONS;
        series = new Series(moving + 1);
        Instance.Shared shared = Instance.Shared.of(life, this, places, senders, series);
        layout = Layout.of(cluster, pools, trace, shared, course);
        instances = layout.instances();
        if (!isApart) {
            instances.forEach(Instance::begin);
        }
        hasDummies = instances.stream().anyMatch(Instance::isTogether);
        split = cluster.split().orElse(new Split.Always());
        Transfer transfer = cluster.transfer().orElse(Transfer.DEFAULT);
        latency = transfer.latencyUs() / US_PER_S;
        handovers = new Handovers(life, instances, layout.carrier(transfer, size), senders, series, moving);
        states = shared.states();
        losses = new Losses(life, trace, shared.states(), handovers);
        next = new Tournament(instances.size(), Double.POSITIVE_INFINITY);
        isScaled = pools.stream().anyMatch(pool -> pool.scaling().isPresent());
        retries = cluster.failures().map(FailureSettings::retries).orElse(0);
        sessions = cluster.sessions().map(set -> new Sessions(set, trace)).orElse(null);
        gateway = cluster.gateway()
                .map(set -> new Gateway(set, new Clients(set, trace, life), life, operations, this))
                .orElse(null);
        fleet = new Fleet(pools, instances, operations, series, this);
        departures = new Departures(layout, life, handovers, fleet, next);
        fleet.begin(cluster.failures());
        layout.experts().forEach(group -> group.begin(instances, operations));
        new Demand(pools, layout, life, gateway, traffic).begin(cluster.pools(), fleet, instances, operations);
    }

    /** Serves all requests. */
    public Life run() {
        if (isApart) {
            now = new Apart(layout, trace, life, series).run();
            done = Math.toIntExact(Arrays.stream(life.outcome)
                    .filter(outcome -> outcome == Outcome.COMPLETED)
                    .count());
        }
        while (!isApart && step()) {
            if (!SimulatedTime.isRepresentable(now)) {
                throw ClusterErrors.endless();
            }
        }
        if (done < trace.size()) {
            throw operationsInARow > MOST_OPERATIONS
                    ? ClusterErrors.unopened(life, isScaled)
                    : ClusterErrors.stuck(life, trace);
        }
        handovers.account(now);
        instances.forEach(instance -> instance.settle(now));
        fleet.settle(now);
        return life;
    }

    /** Serves requests up to a time, and an event beyond it at most. */
    public Life runTo(double seconds) {
        while (now <= seconds && step()) {
            // goes on
        }
        return life;
    }

    /** Goes on to the next event; false when there is none. */
    private boolean step() {
        while (sessions != null && arrivals < trace.size() && sessions.turn(arrivals) > 0) {
            arrivals++;
        }
        double arrival = arrivals < trace.size() ? trace.arrivalSeconds(arrivals) : Double.POSITIVE_INFINITY;
        double event = outside.next();
        double operation = done < trace.size() ? operations.next() : Double.POSITIVE_INFINITY;
        double other = Math.min(Math.min(arrival, event), next.value());
        double end = handovers.nextSeconds(Math.min(other, operation));
        double work = Math.min(other, end);
        double first = Math.min(work, operation);
        boolean isServed = hasDummies && done == trace.size() && Math.min(event, end) == Double.POSITIVE_INFINITY;
        operationsInARow = work == Double.POSITIVE_INFINITY ? operationsInARow + 1 : 0;
        if (first == Double.POSITIVE_INFINITY || isServed || operationsInARow > MOST_OPERATIONS) {
            return false;
        }
        now = Math.max(now, first);
        if (arrival == first) {
            arrive(arrivals++);
        } else if (event == first) {
            outside.run();
        } else if (end == first) {
            int request = handovers.end(now);
            int attempt = life.attempts[request];
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

    private void arrive(int request) {
        life.arrived[request] = now;
        traffic.arrived(trace.prefillTokens(request));
        if (gateway == null) {
            dispatch(request);
        } else {
            gateway.arrive(request, now);
        }
    }

    @Override
    public int open() {
        return layout.open();
    }

    @Override
    public void dispatch(int request) {
        if (split instanceof Split.Missing few && layout.has(PoolRole.PREFILL)) {
            decodeFirst(request, few.tokens());
            return;
        }
        boolean apart = layout.has(PoolRole.PREFILL)
                && trace.decodeTokens(request) > 1
                && (split instanceof Split.Always
                        || (split instanceof Split.LongerThan longer
                                && trace.prefillTokens(request) > longer.tokens()));
        boolean promptOnly = layout.has(PoolRole.PREFILL) && split instanceof Split.Always;
        life.isSplit[request] = apart;
        PoolRole role =
                apart || promptOnly ? PoolRole.PREFILL : layout.has(PoolRole.BOTH) ? PoolRole.BOTH : PoolRole.DECODE;
        Front front = layout.front(role);
        if (front.open() == 0) {
            front.held().add(request);
            return;
        }
        begin(request, send(request, front, true));
    }

    /** Chooses the decode instance first, and for the prompt another one where that lacks more than so much of it. */
    private void decodeFirst(int request, int most) {
        Front decode = layout.front(PoolRole.DECODE);
        if (decode.open() == 0) {
            decode.held().add(request);
            return;
        }
        int second = decode.decide(request, false, now);
        int missing = trace.prefillTokens(request) - decode.cached(request, second);
        life.isSplit[request] = trace.decodeTokens(request) > 1 && missing > most;
        if (!life.isSplit[request]) {
            begin(request, take(request, decode, second, true));
            return;
        }
        Front prefill = layout.front(PoolRole.PREFILL);
        if (prefill.open() == 0) {
            prefill.held().add(request);
            return;
        }
        life.planned[request] = second;
        begin(request, send(request, prefill, true));
    }

    private void begin(int request, Instance instance) {
        life.routed[request] = now;
        life.first[request] = instance.number;
        life.stage[request] = Stage.SENT;
        int attempt = life.attempts[request];
        double door = instance.pool.serverSeconds(trace.prefillTokens(request));
        outside.plan(now + door, () -> enter(request, attempt));
    }

    private Instance send(int request, Front front, boolean hasPrompt) {
        return take(request, front, front.decide(request, hasPrompt, now), hasPrompt);
    }

    private Instance take(int request, Front front, int number, boolean hasPrompt) {
        front.take(request, number, hasPrompt);
        Instance instance = instances.get(number);
        instance.requests++;
        instance.present++;
        return instance;
    }

    /** Whether an event is still of use: the request is where it was when that was planned. */
    private boolean isAt(int request, int attempt, Stage stage) {
        return life.attempts[request] == attempt && life.stage[request] == stage;
    }

    private void enter(int request, int attempt) {
        if (isAt(request, attempt, Stage.SENT)) {
            life.stage[request] = Stage.IN_FIRST;
            life.entered[request] = now;
            int outputs = life.isSplit[request] ? 1 : trace.decodeTokens(request);
            place(2 * request, life.routed[request], trace.prefillTokens(request), outputs, life.first[request]);
        }
    }

    private void hand(int request, int attempt) {
        if (isAt(request, attempt, Stage.BETWEEN)) {
            life.stage[request] = Stage.IN_SECOND;
            life.handed[request] = now;
            int prompt = trace.prefillTokens(request) + 1;
            place(2 * request + 1, now, prompt, trace.decodeTokens(request) - 1, life.second[request]);
        }
    }

    private void deliver(int request, int attempt) {
        if (isAt(request, attempt, Stage.IN_SECOND)) {
            life.moved[request] = now;
            departures.moved(life.second[request], Objects.requireNonNull(handovers.takeReceiver(request)), true, now);
            departures.release(request, now);
        }
    }

    /** Places a request in an engine, which orders requests by the time when its server received them. */
    private void place(int place, double received, int prompt, int output, int number) {
        places.comes(place, received, prompt, output);
        Instance instance = instances.get(number);
        instance.place(place, prompt, now);
        instance.compareBy(next);
    }

    @Override
    public void prompted(int request, Instance instance) {
        if (life.isOpen(request)) {
            layout.front(instance.pool.role()).prompted(request, instance.number);
        }
    }

    @Override
    public void done(int request, Instance instance, boolean isLater) {
        boolean isWhole = isLater || !life.isSplit[request];
        if (!life.isOpen(request)) {
            return;
        }
        layout.front(instance.pool.role()).done(request, instance.number, isWhole);
        if (isWhole) {
            over(request, Outcome.COMPLETED);
            departures.leave(instance, now);
        } else {
            life.stage[request] = Stage.BETWEEN;
            handOver(request);
        }
    }

    private void handOver(int request) {
        Front front = layout.front(PoolRole.DECODE);
        if (front.open() == 0) {
            front.held().add(request);
            return;
        }
        int planned = life.planned[request];
        Instance second = planned >= 0 && front.isOpen(planned)
                ? take(request, front, planned, false)
                : send(request, front, false);
        life.second[request] = second.number;
        int attempt = life.attempts[request];
        // it comes with the tokens that the first one made of the prompt
        outside.plan(now + second.pool.serverSeconds(0), () -> hand(request, attempt));
    }

    private void over(int request, Outcome outcome) {
        life.outcome[request] = outcome;
        life.ended[request] = outcome == Outcome.COMPLETED ? Double.NaN : now;
        life.stage[request] = Stage.OVER;
        done++;
        operationsInARow = 0;
        if (outcome == Outcome.COMPLETED) {
            double from = life.arrived[request];
            traffic.completed(trace.decodeTokens(request), life.firstToken[request] - from, now - from);
        }
        if (gateway != null) {
            gateway.over(request, outcome);
        }
        if (sessions != null) {
            follow(sessions, request, outcome);
        }
    }

    private void follow(Sessions turns, int request, Outcome outcome) {
        int next = turns.next(request);
        if (next >= 0 && outcome == Outcome.COMPLETED) {
            outside.plan(now + turns.gap(next), () -> arrive(next));
        } else if (next >= 0) {
            life.arrived[next] = Double.NaN;
            over(next, Outcome.ABANDONED);
        }
    }

    @Override
    public void ask(int request, int tokens, LiveRequest receiver) {
        handovers.start(request, tokens, receiver, now);
    }

    @Override
    public void reads(Instance instance, LiveRequest request, double end) {
        ServingSimulator engine = instance.engine();
        outside.plan(end, () -> {
            if (instance.engine() == engine) {
                departures.moved(instance.number, request, true, now);
            }
        });
    }

    @Override
    public double now() {
        return now;
    }

    @Override
    public void needsNothing(int request) {
        // told while the decode instance plans a step; the other one hears of it as of a delivery
        outside.plan(now, () -> departures.release(request, now));
    }

    @Override
    public void opens(Instance instance, boolean isOpen) {
        Front front = layout.front(instance.pool.role());
        if (!isOpen) {
            front.close(instance.number);
            return;
        }
        // a new one, that has nothing cached
        instance.fail(now);
        instance.compareBy(next);
        front.open(instance.number);
        while (!front.held().isEmpty()) {
            int request = front.held().remove();
            if (life.stage[request] == Stage.OUTSIDE && life.isOpen(request)) {
                dispatch(request);
            } else if (life.stage[request] == Stage.BETWEEN && !life.isHanded(request)) {
                handOver(request);
            }
        }
        if (gateway != null) {
            gateway.next();
        }
    }

    /** Returns the output tokens of both of the request's states: that of its prompt, and that of an output made elsewhere. */
    @Override
    public int produced(int request) {
        int tokens = states.emittedTokens(2 * request) + states.emittedTokens(2 * request + 1);
        return Math.min(tokens, trace.decodeTokens(request));
    }

    @Override
    public void giveUp(int request, Outcome outcome) {
        life.outcome[request] = outcome;
        if (life.stage[request] != Stage.OUTSIDE) {
            departures.detach(request, null, now);
        }
        over(request, outcome);
    }

    @Override
    public void fails(Instance instance) {
        List<Integer> lost = losses.requests(instance.number, sessions == null ? arrivals : trace.size());
        lost.forEach(request -> departures.detach(request, instance, now));
        instance.fail(now);
        instance.compareBy(next);
        lost.forEach(this::again);
    }

    private void again(int request) {
        life.again(request, now);
        if (life.attempts[request] > retries) {
            over(request, Outcome.LOST);
        } else {
            dispatch(request);
        }
    }

    public List<Instance> instances() {
        return instances;
    }

    public Life life() {
        return life;
    }

    public Fleet fleet() {
        return fleet;
    }

    /** Tokens that had been computed for requests whose instance failed. */
    public long lostTokens() {
        return losses.tokens();
    }

    /** Experts of the pools that share some. */
    public List<ExpertGroup> experts() {
        return layout.experts();
    }

    /** How right routers were that follow what caches tell. */
    public List<CacheNews> news() {
        return layout.news();
    }

    public Series series() {
        return series;
    }

    public double seconds() {
        return now;
    }

    public Optional<Gateway> gateway() {
        return Optional.ofNullable(gateway);
    }

    public Optional<Sessions> sessions() {
        return Optional.ofNullable(sessions);
    }

    public Handovers handovers() {
        return handovers;
    }
}
