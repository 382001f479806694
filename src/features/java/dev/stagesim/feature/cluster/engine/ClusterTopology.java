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
import dev.stagesim.feature.cluster.instance.LockstepGroup;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Profile;
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
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.StepTimes;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The instances of all pools by number, and the routers in front of them.
 *
 * @param experts loads and placements of the pools that share experts
 * @param poolRouters by the role of the instances behind them; those of one role stand together, pools in their order
 */
public record ClusterTopology(
        List<Instance> instances, List<ExpertGroup> experts, Map<PoolRole, PoolRouter> poolRouters) {
    /** Tokens of a block of what decode instances were sent. */
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
                    SessionRetention retention =
                            plan.retainS() > 0 ? new SessionRetention(hasLaterTurn, plan.retainS()) : null;
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

    /** The tier that all instances of a pool share, or null if the pool has none. */
    private static @Nullable TierStore remote(PoolPlan plan) {
        return plan.tiers()
                .flatMap(Tiers::remote)
                .map(tier -> new TierStore(
                        KvTiers.capacityBlocks(tier, plan.replica().tokenBytes()), null))
                .orElse(null);
    }

    /** Draws the instances that are slower than the others. */
    private void slow(ServingClusterSettings cluster) {
        cluster.stragglers().ifPresent(set -> {
            RandomStream random = RandomStream.of(set.seed(), "stragglers");
            instances.forEach(instance -> instance.slowness = random.nextDouble() < set.share() ? set.factor() : 1);
        });
    }

    /** What an instance of a pool runs every step together with, which may be that of the one before it. */
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
                ? cluster.decodeRouter().orElse(new LeastOutstanding.Settings())
                : cluster.router();
    }

    private static boolean isDecodeFirst(ServingClusterSettings cluster, PoolRole role) {
        return role == PoolRole.DECODE
                && cluster.split().filter(Split.Missing.class::isInstance).isPresent();
    }

    /** Whether the caches of a role tell what they hold. */
    public static boolean publishesKvEvents(ServingClusterSettings cluster, PoolRole role) {
        return cluster.kvEvents().isPresent() && (router(cluster, role).usesKvEvents() || isDecodeFirst(cluster, role));
    }

    /** What the caches of a role tell, where somebody follows it. */
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
        KvEventBus.Settings settings = cluster.kvEvents().orElseThrow();
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
     * Two places for each request: for its prompt, and for an output that is made elsewhere. They share tokens, and a place that is
     * tried again keeps its own; but no engine without a connector meets both, or one a second time: one that loses requests is replaced.
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
        return trace.sharesNothing() ? places.sharingNothing() : places;
    }

    /** Which requests have a later turn in their conversation; where none has, nothing can be retained for it. */
    private static boolean[] hasLaterTurn(List<PoolPlan> pools, RequestTrace trace) {
        boolean[] hasLaterTurn = new boolean[trace.size()];
        if (pools.stream().allMatch(pool -> pool.retainS() == 0 && pool.tiers().isEmpty())) {
            return hasLaterTurn; // nobody asks
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
            boolean isBelow = pool.tiers().filter(set -> set.retainS() > 0).isPresent();
            if (!isAny && (isBelow || pool.retainS() > 0)) {
                throw StageException.input(Problem.config(
                                "cluster.pools." + pool.name() + (isBelow ? ".tiers.retain_s" : ".retain_s"),
                                "has no effect: no conversation of the workload has a second turn")
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
        Signals signals = cluster.signals()
                .map(settings -> Signals.scraped(caches.length, settings))
                .orElse(Signals.fresh(caches.length));
        for (int i = 0; router.readsSignals() && i < caches.length; i++) {
            instances.get(base + i).publishTo(signals, i);
        }
        Map<PoolPlan, Profile> alone = new LinkedHashMap<>();
        List<Profile> profiles = instances.subList(base, instances.size()).stream()
                .map(instance -> alone.computeIfAbsent(instance.pool, Profile::of))
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

    /** What is in front of the instances of a role, of which there are some. */
    PoolRouter poolRouter(PoolRole role) {
        PoolRouter poolRouter = poolRouters.get(role);
        if (poolRouter == null) {
            throw new IllegalStateException("no pool of the role " + role);
        }
        return poolRouter;
    }

    /** Open instances of all roles. */
    int open() {
        int open = 0;
        for (PoolRouter poolRouter : poolRouters.values()) {
            open += poolRouter.open();
        }
        return open;
    }

    /** What caches tell, of the roles where somebody follows it. */
    List<KvEventBus> kvEvents() {
        return poolRouters.values().stream()
                .flatMap(poolRouter -> Stream.ofNullable(poolRouter.kvEvents))
                .toList();
    }

    boolean has(PoolRole role) {
        return poolRouters.containsKey(role);
    }

    /** What carries the transfers of so many requests. */
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
                network.make(links, network.leaves().seats(pool)), network.piece(), network.window(), size);
    }
}
