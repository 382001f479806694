package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.cache.KvTiers;
import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.cache.SessionRetention;
import dev.stagesim.feature.cluster.cache.TierStore;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Share;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.experts.ExpertPlan;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.instance.ExpertGroup;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.InstancePerformance;
import dev.stagesim.feature.cluster.instance.LockstepGroup;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.feature.cluster.transfer.KvNetwork;
import dev.stagesim.feature.cluster.transfer.KvTransport;
import dev.stagesim.feature.cluster.transfer.NetworkTransfers;
import dev.stagesim.feature.cluster.transfer.Transfers;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The instances of all pools and their routers.
 *
 * @param instances all instances by number; instances of one role are contiguous, in order of pools
 * @param experts expert groups of the pools that share experts
 * @param poolRouters routers by the role of their instances
 */
public record ClusterTopology(
        List<Instance> instances, List<ExpertGroup> experts, Map<PoolRole, PoolRouter> poolRouters) {
    /** Block size of the index of prompts sent to decode instances, in tokens. */
    private static final int BLOCK = 16;

    static ClusterTopology of(
            ServingClusterSettings cluster,
            List<PoolPlan> pools,
            RequestTrace trace,
            Instance.Shared shared,
            RoutingPolicyOverride routing) {
        ClusterTopology topology =
                new ClusterTopology(new ArrayList<>(), new ArrayList<>(), new EnumMap<>(PoolRole.class));
        boolean[] hasLaterTurn = hasLaterTurn(pools, trace);
        for (PoolRole role : PoolRole.values()) {
            int base = topology.instances.size();
            KvEventBus kvEvents = topology.kvEvents(cluster, pools, role, trace, shared);
            for (int pool = 0; pool < pools.size(); pool++) {
                PoolPlan plan = pools.get(pool);
                if (plan.role() != role) {
                    continue;
                }
                TierStore remote = remote(plan);
                StepTimes times = new StepTimes(plan.spec(), topology.times(plan));
                int owner = topology.instances.size() - base;
                LockstepGroup lockstep = null;
                for (int i = 0; i < plan.maxInstances(); i++) {
                    lockstep = lockstep(plan, i, lockstep, shared.timeline());
                    int number = topology.instances.size();
                    SessionRetention retention = retention(plan, hasLaterTurn);
                    KvTiers tiers = tiers(plan, trace, hasLaterTurn, remote);
                    if (tiers != null && kvEvents != null) {
                        tiers.publishTo(kvEvents, number - base, owner);
                    }
                    Instance.Caches caches = new Instance.Caches(
                            tiers,
                            retention,
                            kvEvents == null ? null : kvEvents.publisher(number - base, KvEventBus.DEVICE));
                    topology.instances.add(new Instance(
                            number, plan, pool * Instance.SIGNALS_PER_POOL, shared, times, caches, lockstep));
                }
            }
            if (topology.instances.size() > base) {
                topology.poolRouter(cluster, role, base, trace, routing, kvEvents);
            }
        }
        topology.slow(cluster);
        return topology;
    }

    private static @Nullable SessionRetention retention(PoolPlan plan, boolean[] hasLaterTurn) {
        return plan.sessionRetentionS() > 0 ? new SessionRetention(hasLaterTurn, plan.sessionRetentionS()) : null;
    }

    /** Returns the store that all instances of a pool share, or null if absent. */
    private static @Nullable TierStore remote(PoolPlan plan) {
        return plan.tiers()
                .flatMap(Tiers::remote)
                .map(tier -> new TierStore(
                        KvTiers.capacityBlocks(tier, plan.replica().tokenBytes()), null))
                .orElse(null);
    }

    /** Draws the stragglers. */
    private void slow(ServingClusterSettings cluster) {
        cluster.stragglers().ifPresent(set -> {
            RandomStream random = RandomStream.of(set.seed(), "stragglers");
            instances.forEach(instance -> instance.slowness = random.nextDouble() < set.share() ? set.factor() : 1);
        });
    }

    /**
     * Returns the lockstep group of the instance at an index of its pool, or null if absent. {@code before} is the
     * group of the previous instance.
     */
    private static @Nullable LockstepGroup lockstep(
            PoolPlan plan, int place, @Nullable LockstepGroup before, RequestTimeline timeline) {
        ExpertSettings settings = plan.experts().map(ExpertPlan::settings).orElse(null);
        if (settings == null || !settings.lockstep()) {
            return null;
        }
        return place % settings.instances() == 0 ? new LockstepGroup(timeline) : before;
    }

    private static RouterSettings router(ServingClusterSettings cluster, PoolRole role) {
        return role == PoolRole.DECODE
                ? cluster.routing().decodeRouter().orElse(new LeastOutstanding.Settings())
                : cluster.routing().router();
    }

    private static boolean isDecodeFirst(ServingClusterSettings cluster, PoolRole role) {
        return role == PoolRole.DECODE
                && cluster.split().filter(Split.Missing.class::isInstance).isPresent();
    }

    /** Returns true if the instances of a role publish KV events. */
    public static boolean publishesKvEvents(ServingClusterSettings cluster, PoolRole role) {
        return cluster.routing().kvEvents().isPresent()
                && (router(cluster, role).usesKvEvents() || isDecodeFirst(cluster, role));
    }

    /** Returns the KV event bus of a role, or null if its instances publish no events. */
    private @Nullable KvEventBus kvEvents(
            ServingClusterSettings cluster,
            List<PoolPlan> pools,
            PoolRole role,
            RequestTrace trace,
            Instance.Shared shared) {
        if (!publishesKvEvents(cluster, role)) {
            return null;
        }
        int size = pools.stream()
                .filter(pool -> pool.role() == role)
                .mapToInt(PoolPlan::maxInstances)
                .sum();
        KvEventBus.Settings settings = cluster.routing().kvEvents().orElseThrow();
        RandomStream random = RandomStream.of(settings.seed(), "cache events " + role);
        return new KvEventBus(settings, new Prompts(trace), size, random, shared.events()::now);
    }

    private OperatorTimes times(PoolPlan pool) {
        pool.experts().ifPresent(plan -> experts.add(new ExpertGroup(pool, plan)));
        return pool.experts().isEmpty()
                ? pool.replica().times()
                : experts.get(experts.size() - 1).times();
    }

    /**
     * Returns a trace with two slots per request: 2r for the prompt of request r, and 2r + 1 for the output on a decode
     * instance. Both slots have the same tokens. A retried slot keeps its number, but only after the engine that lost
     * the request was replaced.
     */
    static RequestTrace places(RequestTrace trace) {
        int size = 2 * trace.size();
        double[] arrivals = new double[size];
        for (int place = 0; place < size; place++) {
            arrivals[place] = trace.arrivalSeconds(place >> 1);
        }
        RequestTrace places = new RequestTrace(
                        arrivals, new int[size], new int[size], place -> trace.tokens(place >> 1))
                .labelled(place -> trace.adapter(place >> 1), place -> trace.priority(place >> 1))
                .numbered(place -> trace.number(place >> 1));
        return trace.hasUniqueTokens() ? places.withUniqueTokens() : places;
    }

    /**
     * Returns the requests that have a later turn in their session.
     *
     * @throws StageException if retention is set but no session has two turns
     */
    private static boolean[] hasLaterTurn(List<PoolPlan> pools, RequestTrace trace) {
        boolean[] hasLaterTurn = new boolean[trace.size()];
        if (pools.stream()
                .allMatch(pool -> pool.sessionRetentionS() == 0 && pool.tiers().isEmpty())) {
            return hasLaterTurn; // no pool uses retention
        }
        Prompts prompts = new Prompts(trace);
        Map<Long, Integer> last = new LinkedHashMap<>();
        boolean isAny = false;
        for (int i = 0; i < hasLaterTurn.length; i++) {
            Integer before = last.put(prompts.session(i), i);
            if (before != null) {
                hasLaterTurn[before] = true;
                isAny = true;
            }
        }
        for (PoolPlan pool : pools) {
            boolean isBelow =
                    pool.tiers().filter(set -> set.sessionRetentionS() > 0).isPresent();
            if (!isAny && (isBelow || pool.sessionRetentionS() > 0)) {
                throw StageException.input(Problem.config(
                                "cluster.pools." + pool.name()
                                        + (isBelow ? ".tiers.session_retention_s" : ".session_retention_s"),
                                "has no effect: no session of the workload has a second turn")
                        .hint("leave it out, or set workload.sharing.kind=sessions"));
            }
        }
        return hasLaterTurn;
    }

    private static @Nullable KvTiers tiers(
            PoolPlan plan, RequestTrace trace, boolean[] hasLaterTurn, @Nullable TierStore remote) {
        return plan.tiers()
                .map(tiers -> new KvTiers(
                        tiers, new Prompts(trace), hasLaterTurn, plan.replica().tokenBytes(), remote))
                .orElse(null);
    }

    private void poolRouter(
            ServingClusterSettings cluster,
            PoolRole role,
            int base,
            RequestTrace trace,
            RoutingPolicyOverride routing,
            @Nullable KvEventBus kvEvents) {
        long[] caches = instances.subList(base, instances.size()).stream()
                .mapToLong(instance -> instance.pool.kvTokens())
                .toArray();
        RouterSettings router = router(cluster, role);
        int[] slots = instances.subList(base, instances.size()).stream()
                .mapToInt(instance -> instance.pool.replica().adapterSlots())
                .toArray();
        Signals signals = cluster.routing()
                .signals()
                .map(settings -> Signals.scraped(caches.length, settings))
                .orElse(Signals.fresh(caches.length));
        for (int i = 0; router.readsSignals() && i < caches.length; i++) {
            instances.get(base + i).publishTo(signals, i);
        }
        Map<PoolPlan, InstancePerformance> profilesByPool = new LinkedHashMap<>();
        List<InstancePerformance> profiles = instances.subList(base, instances.size()).stream()
                .map(instance -> profilesByPool.computeIfAbsent(instance.pool, InstancePerformance::of))
                .toList();
        RoutingGroup group = new RoutingGroup(role, new Prompts(trace), caches, slots, signals, profiles);
        RoutingGroup withEvents = group.following(kvEvents);
        poolRouters.put(
                role,
                new PoolRouter(
                        base,
                        router.over(router.usesKvEvents() ? withEvents : group),
                        group.members(),
                        signals,
                        routing,
                        isDecodeFirst(cluster, role) ? new PrefixIndex(withEvents, BLOCK) : null,
                        kvEvents));
    }

    /** Returns the router of a role that has instances. */
    PoolRouter poolRouter(PoolRole role) {
        PoolRouter poolRouter = poolRouters.get(role);
        if (poolRouter == null) {
            throw new IllegalStateException("no pool has the role " + role);
        }
        return poolRouter;
    }

    /** Returns the number of open instances. */
    int open() {
        int open = 0;
        for (PoolRouter poolRouter : poolRouters.values()) {
            open += poolRouter.open();
        }
        return open;
    }

    /** Returns the KV event buses of all roles that have one. */
    List<KvEventBus> kvEvents() {
        return poolRouters.values().stream()
                .flatMap(poolRouter -> Stream.ofNullable(poolRouter.kvEvents))
                .toList();
    }

    boolean has(PoolRole role) {
        return poolRouters.containsKey(role);
    }

    /** Returns true if decode engines reserve memory before the prefill, as SGLang does. */
    boolean reservesFirst() {
        PoolRouter decode = poolRouters.get(PoolRole.DECODE);
        return decode != null
                && instances.get(decode.first()).pool.replica().scheduler() instanceof SchedulerSettings.Sglang;
    }

    /** Creates the transport for the transfers of {@code size} requests. */
    KvTransport carrier(Transfer transfer, int size) {
        double[] links = instances.stream()
                .mapToDouble(instance -> instance.pool.linkBytesPerS())
                .toArray();
        if (transfer.network().isEmpty()) {
            return new Transfers(transfer.share() == Share.FAIR, links, size);
        }
        KvNetwork network = transfer.network().get();
        int[] pool =
                instances.stream().mapToInt(instance -> instance.poolNumber()).toArray();
        return new NetworkTransfers(
                network.make(links, network.leaves().positions(pool)), network.chunkBytes(), network.window(), size);
    }
}
