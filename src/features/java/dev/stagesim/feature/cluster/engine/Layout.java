package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.cache.CacheNews;
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
import dev.stagesim.feature.cluster.instance.Life;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Profile;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.instance.Together;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.view.Group;
import dev.stagesim.feature.cluster.router.view.PrefixIndex;
import dev.stagesim.feature.cluster.transfer.Carrier;
import dev.stagesim.feature.cluster.transfer.KvNetwork;
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
 * @param fronts by the role of the instances behind them; those of one role stand together, pools in their order
 */
public record Layout(List<Instance> instances, List<ExpertGroup> experts, Map<PoolRole, Front> fronts) {
    /** Tokens of a block of what decode instances were sent. */
    private static final int BLOCK = 16;

    static Layout of(
            ServingClusterSettings cluster,
            List<PoolPlan> pools,
            RequestTrace trace,
            Instance.Shared shared,
            Course course) {
        Layout layout = new Layout(new ArrayList<>(), new ArrayList<>(), new EnumMap<>(PoolRole.class));
        boolean[] goesOn = goesOn(pools, trace);
        for (PoolRole role : PoolRole.values()) {
            int base = layout.instances.size();
            CacheNews news = layout.news(cluster, pools, role, trace, shared);
            for (int pool = 0; pool < pools.size(); pool++) {
                PoolPlan plan = pools.get(pool);
                if (plan.role() != role) {
                    continue;
                }
                TierStore remote = remote(plan);
                StepTimes times = new StepTimes(plan.spec(), layout.times(plan));
                int home = layout.instances.size() - base;
                Together together = null;
                for (int i = 0; i < plan.most(); i++) {
                    together = together(plan, i, together, shared.life());
                    int number = layout.instances.size();
                    SessionRetention retention =
                            plan.retainS() > 0 ? new SessionRetention(goesOn, plan.retainS()) : null;
                    KvTiers tiers = tiers(plan, trace, goesOn, remote);
                    if (tiers != null && news != null) {
                        tiers.tell(news, number - base, home);
                    }
                    Instance.Caches caches = new Instance.Caches(
                            tiers, retention, news == null ? null : news.sender(number - base, CacheNews.DEVICE));
                    layout.instances.add(
                            new Instance(number, plan, pool * Instance.FUNCTIONS, shared, times, caches, together));
                }
            }
            if (layout.instances.size() > base) {
                layout.front(cluster, role, base, trace, course, news);
            }
        }
        layout.slow(cluster);
        return layout;
    }

    /** The tier that all instances of a pool share, or null if the pool has none. */
    private static @Nullable TierStore remote(PoolPlan plan) {
        return plan.tiers()
                .flatMap(Tiers::remote)
                .map(tier -> new TierStore(KvTiers.room(tier, plan.replica().tokenBytes()), null))
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
    private static @Nullable Together together(PoolPlan plan, int place, @Nullable Together before, Life life) {
        ExpertSettings settings = plan.experts().map(ExpertPlan::settings).orElse(null);
        if (settings == null || !settings.lockstep()) {
            return null;
        }
        return place % settings.instances() == 0 ? new Together(life) : before;
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
    public static boolean isTold(ServingClusterSettings cluster, PoolRole role) {
        return cluster.kvEvents().isPresent()
                && (router(cluster, role).followsCaches() || isDecodeFirst(cluster, role));
    }

    /** What the caches of a role tell, where somebody follows it. */
    private @Nullable CacheNews news(
            ServingClusterSettings cluster,
            List<PoolPlan> pools,
            PoolRole role,
            RequestTrace trace,
            Instance.Shared shared) {
        if (!isTold(cluster, role)) {
            return null;
        }
        int size = pools.stream()
                .filter(pool -> pool.role() == role)
                .mapToInt(PoolPlan::most)
                .sum();
        CacheNews.Settings settings = cluster.kvEvents().orElseThrow();
        RandomStream random = RandomStream.of(settings.seed(), "cache events " + role);
        return new CacheNews(settings, new Prompts(trace), size, random, shared.events()::now);
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
    private static boolean[] goesOn(List<PoolPlan> pools, RequestTrace trace) {
        boolean[] goesOn = new boolean[trace.size()];
        if (pools.stream().allMatch(pool -> pool.retainS() == 0 && pool.tiers().isEmpty())) {
            return goesOn; // nobody asks
        }
        Prompts prompts = new Prompts(trace);
        Map<Long, Integer> last = new LinkedHashMap<>();
        boolean isAny = false;
        for (int i = 0; i < goesOn.length; i++) {
            Integer before = last.put(prompts.session(i), i);
            if (before != null) {
                goesOn[before] = true;
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
        return goesOn;
    }

    private static @Nullable KvTiers tiers(
            PoolPlan plan, RequestTrace trace, boolean[] goesOn, @Nullable TierStore remote) {
        return plan.tiers()
                .map(tiers -> new KvTiers(
                        tiers, new Prompts(trace), goesOn, plan.replica().tokenBytes(), remote))
                .orElse(null);
    }

    private void front(
            ServingClusterSettings cluster,
            PoolRole role,
            int base,
            RequestTrace trace,
            Course course,
            @Nullable CacheNews news) {
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
            instances.get(base + i).shows(signals, i);
        }
        Map<PoolPlan, Profile> alone = new LinkedHashMap<>();
        List<Profile> profiles = instances.subList(base, instances.size()).stream()
                .map(instance -> alone.computeIfAbsent(instance.pool, Profile::of))
                .toList();
        Group group = new Group(role, new Prompts(trace), caches, slots, signals, profiles);
        Group told = group.following(news);
        fronts.put(
                role,
                new Front(
                        base,
                        router.over(router.followsCaches() ? told : group),
                        group.members(),
                        signals,
                        course,
                        isDecodeFirst(cluster, role) ? new PrefixIndex(told, BLOCK) : null,
                        news));
    }

    /** What is in front of the instances of a role, of which there are some. */
    Front front(PoolRole role) {
        Front front = fronts.get(role);
        if (front == null) {
            throw new IllegalStateException("no pool of the role " + role);
        }
        return front;
    }

    /** Open instances of all roles. */
    int open() {
        int open = 0;
        for (Front front : fronts.values()) {
            open += front.open();
        }
        return open;
    }

    /** What caches tell, of the roles where somebody follows it. */
    List<CacheNews> news() {
        return fronts.values().stream()
                .flatMap(front -> Stream.ofNullable(front.news))
                .toList();
    }

    boolean has(PoolRole role) {
        return fronts.containsKey(role);
    }

    /** What carries the transfers of so many requests. */
    Carrier carrier(Transfer transfer, int size) {
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
