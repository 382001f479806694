package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.ClusterSimSettings.Cluster;
import dev.stagesim.feature.cluster.ClusterSimSettings.Role;
import dev.stagesim.feature.cluster.ClusterSimSettings.Share;
import dev.stagesim.feature.cluster.ClusterSimSettings.Split;
import dev.stagesim.feature.cluster.ClusterSimSettings.Transfer;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.policy.LiveRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * The event loop of a cluster: arrivals, API servers and transfers beside the events of the engines, the earliest first.
 *
 * <p>At the same time what comes from outside goes before the engines, and engines go by number. A tournament finds the
 * engine whose event is next.
 */
final class ClusterSim implements Instance.Events {
    private static final double US_PER_S = 1e6;

    /** Times in tables are whole nanoseconds in 64 bits. */
    private static final double LONGEST_S = Long.MAX_VALUE / 1e9;

    private enum What {
        ENTER,
        HAND,
        DELIVER,
        RELEASE
    }

    private record Event(double at, long order, What what, int request) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Double.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /** Instances with a router in front of them. */
    private record Fronted(int base, Router router) {}

    private final RequestTrace trace;
    private final RequestTrace places;
    private final List<Instance> instances = new ArrayList<>();
    private final Map<Role, Fronted> groups = new EnumMap<>(Role.class);
    private final Life life;
    private final Transfers transfers;
    private final LiveRequest[] senders;
    private final LiveRequest[] receivers;
    private final Series series;
    private final PriorityQueue<Event> outside = new PriorityQueue<>();
    private final Tournament next;
    private final Split split;
    private final double latency;
    private final int moving;
    private long order;
    private double now;
    private double changed;
    private int done;
    private double busiest;

    ClusterSim(Cluster cluster, List<PoolPlan> pools, RequestTrace trace) {
        this.trace = trace;
        int size = trace.size();
        places = places(trace);
        life = new Life(size);
        senders = new LiveRequest[size];
        receivers = new LiveRequest[size];
        moving = pools.size() * Instance.FUNCTIONS;
        series = new Series(moving + 1);
        double[] evictedAt = new double[2 * size];
        Arrays.fill(evictedAt, -1);
        Instance.Shared shared = new Instance.Shared(
                life, this, new RequestStates(places), senders, series, new double[2 * size], evictedAt);
        // pools of one role stand together, in their order
        for (Role role : Role.values()) {
            int base = instances.size();
            for (int pool = 0; pool < pools.size(); pool++) {
                PoolPlan plan = pools.get(pool);
                for (int i = 0; plan.role() == role && i < plan.replicas(); i++) {
                    instances.add(new Instance(instances.size(), plan, pool * Instance.FUNCTIONS, shared));
                }
            }
            front(cluster, role, base);
        }
        split = cluster.split().orElse(new Split.Always());
        Transfer transfer = cluster.transfer().orElse(PoolPlans.TRANSFER);
        latency = transfer.latencyUs() / US_PER_S;
        double[] links = instances.stream()
                .mapToDouble(instance -> instance.pool.linkBytesPerS())
                .toArray();
        transfers = new Transfers(transfer.share() == Share.FAIR, links, size);
        next = new Tournament(instances.size(), Double.POSITIVE_INFINITY);
    }

    private static RequestTrace places(RequestTrace trace) {
        int size = 2 * trace.size();
        double[] arrivals = new double[size];
        for (int place = 0; place < size; place++) {
            arrivals[place] = trace.arrivalSeconds(place >> 1);
        }
        return new RequestTrace(arrivals, new int[size], new int[size], place -> trace.tokens(place >> 1));
    }

    private void front(Cluster cluster, Role role, int base) {
        int count = instances.size() - base;
        if (count > 0) {
            long[] caches = instances.subList(base, instances.size()).stream()
                    .mapToLong(instance -> instance.pool.replica().kvTokens())
                    .toArray();
            RouterSettings router = role == Role.DECODE
                    ? cluster.decodeRouter().orElse(new LeastOutstanding.Settings())
                    : cluster.router();
            groups.put(role, new Fronted(base, router.over(new Group(role, new Prompts(trace), caches))));
        }
    }

    /** Serves all requests. */
    Life run() {
        int arrivals = 0;
        while (true) {
            double arrival = arrivals < trace.size() ? trace.arrivalSeconds(arrivals) : Double.POSITIVE_INFINITY;
            double event = outside.isEmpty()
                    ? Double.POSITIVE_INFINITY
                    : outside.peek().at();
            double end = transfers.nextSeconds();
            double first = Math.min(Math.min(arrival, event), Math.min(end, next.value()));
            if (first == Double.POSITIVE_INFINITY) {
                break;
            }
            if (first > LONGEST_S) {
                throw endless();
            }
            now = first;
            if (arrival == first) {
                arrive(arrivals++);
            } else if (event == first) {
                handle(outside.remove());
            } else if (end == first) {
                movingChanges();
                int request = transfers.end();
                plan(now + latency, What.DELIVER, request);
            } else {
                Instance instance = instances.get(next.least());
                instance.engine.step();
                next.set(instance.number, instance.engine.nextTime());
            }
        }
        if (done < trace.size()) {
            throw stuck();
        }
        movingChanges();
        instances.forEach(instance -> instance.settle(now));
        return life;
    }

    private static StageException endless() {
        return StageException.input(
                Problem.config("cluster", "takes " + Math.round(LONGEST_S) + " s and longer, more than tables can hold")
                        .hint("give links more bandwidth (cluster.transfer.bandwidth_gbs), or take fewer requests"));
    }

    private StageException stuck() {
        int request = 0;
        while (!Double.isNaN(life.completed[request])) {
            request++;
        }
        return StageException.input(Problem.of(
                        "workload error",
                        "request " + request,
                        "never finishes: nothing runs any more, and its " + trace.prefillTokens(request)
                                + " prompt and " + trace.decodeTokens(request) + " output tokens found no room")
                .hint("give the pools more memory (tp, memory_utilization), or cap requests with workload.max_tokens"));
    }

    private void plan(double at, What what, int request) {
        outside.add(new Event(at, order++, what, request));
    }

    private void arrive(int request) {
        life.arrived[request] = now;
        boolean apart = groups.containsKey(Role.PREFILL)
                && trace.decodeTokens(request) > 1
                && (split instanceof Split.Always
                        || (split instanceof Split.LongerThan longer
                                && trace.prefillTokens(request) > longer.tokens()));
        boolean promptOnly = groups.containsKey(Role.PREFILL) && split instanceof Split.Always;
        life.isSplit[request] = apart;
        Role role = apart || promptOnly ? Role.PREFILL : groups.containsKey(Role.BOTH) ? Role.BOTH : Role.DECODE;
        Instance instance = route(request, role, true);
        life.first[request] = instance.number;
        plan(now + instance.pool.serverSeconds(), What.ENTER, request);
    }

    private Instance route(int request, Role role, boolean hasPrompt) {
        Fronted group = groups.get(role);
        if (group == null) {
            throw new IllegalStateException("no pool of the role " + role);
        }
        int chosen = group.router().choose(request, hasPrompt);
        group.router().sent(request, chosen, hasPrompt);
        Instance instance = instances.get(group.base() + chosen);
        instance.requests++;
        return instance;
    }

    private void handle(Event event) {
        int request = event.request();
        switch (event.what()) {
            case ENTER -> {
                life.entered[request] = now;
                int outputs = life.isSplit[request] ? 1 : trace.decodeTokens(request);
                place(2 * request, trace.prefillTokens(request), outputs, life.first[request]);
            }
            case HAND -> {
                life.handed[request] = now;
                int prompt = trace.prefillTokens(request) + 1;
                place(2 * request + 1, prompt, trace.decodeTokens(request) - 1, life.second[request]);
            }
            case DELIVER -> {
                life.moved[request] = now;
                moved(life.second[request], receivers[request], true);
                release(request);
            }
            default -> release(request);
        }
    }

    private void place(int place, int prompt, int output, int number) {
        places.replace(place, now, prompt, output);
        Instance instance = instances.get(number);
        instance.engine.place(place, now);
        next.set(number, instance.engine.nextTime());
    }

    private void moved(int number, LiveRequest who, boolean isHere) {
        Instance instance = instances.get(number);
        instance.engine.moved(who, isHere, now);
        next.set(number, instance.engine.nextTime());
    }

    private void release(int request) {
        moved(life.first[request], senders[request], false);
        senders[request] = null;
        receivers[request] = null;
    }

    private Fronted group(Instance instance) {
        Fronted group = groups.get(instance.pool.role());
        if (group == null) {
            throw new IllegalStateException("an instance without a group");
        }
        return group;
    }

    @Override
    public void prompted(int request, Instance instance) {
        Fronted group = group(instance);
        group.router().prompted(request, instance.number - group.base());
    }

    @Override
    public void done(int request, Instance instance, boolean isLater) {
        Fronted group = group(instance);
        boolean isWhole = isLater || !life.isSplit[request];
        group.router().done(request, instance.number - group.base(), isWhole);
        if (isWhole) {
            done++;
        } else {
            Instance second = route(request, Role.DECODE, false);
            life.second[request] = second.number;
            plan(now + second.pool.serverSeconds(), What.HAND, request);
        }
    }

    @Override
    public void ask(int request, int tokens, LiveRequest receiver) {
        movingChanges();
        life.moving[request] = now;
        life.transferred[request] = tokens;
        receivers[request] = receiver;
        transfers.start(request, life.first[request], life.second[request], bytes(request), now);
    }

    @Override
    public void needsNothing(int request) {
        // told while the decode instance plans a step; the other one hears of it as of a delivery
        plan(now, What.RELEASE, request);
    }

    private void movingChanges() {
        series.add(moving, changed, now, transfers.active());
        changed = now;
        busiest = Math.max(busiest, transfers.active());
    }

    List<Instance> instances() {
        return instances;
    }

    Life life() {
        return life;
    }

    Series series() {
        return series;
    }

    double seconds() {
        return now;
    }

    /** Bytes of all transfers. */
    double bytes() {
        return IntStream.range(0, trace.size()).mapToDouble(this::bytes).sum();
    }

    /** What the devices of the decode instance read: each of them all that it will hold. */
    double bytes(int request) {
        return life.isHanded(request)
                ? life.transferred[request]
                        * instances.get(life.second[request]).pool.replica().tokenBytes()
                : 0;
    }

    /** Bytes of a token that is transferred, on average. */
    double tokenBytes() {
        return bytes() / Arrays.stream(life.transferred).asDoubleStream().sum();
    }

    /** Whether transfers on a link share it. */
    boolean sharesLinks() {
        return transfers.isFair();
    }

    /** Most transfers at a time. */
    double mostTransfers() {
        return busiest;
    }
}
