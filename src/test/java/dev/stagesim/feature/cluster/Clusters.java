package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.autoscaler.ScalingSettings;
import dev.stagesim.feature.cluster.cache.CacheNews;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Loras;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Share;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Start;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Stragglers;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.engine.Sessions;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.gateway.GatewaySettings;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.ClusterReport;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.model.CardFiles;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.Precision;
import dev.stagesim.settings.Defaults;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Settings and requests of small clusters, for tests. */
public final class Clusters {
    private Clusters() {}

    public static Pool pool(PoolRole role, int replicas) {
        return pool(role, replicas, "vllm_v1", 0.9, 64);
    }

    public static Pool pool(PoolRole role, int replicas, String engine, double memory, int seqs) {
        return new Pool(
                role,
                replicas,
                engine,
                Optional.empty(),
                1,
                1,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(seqs),
                Optional.of(2048),
                Optional.of(memory),
                Optional.empty(),
                Optional.empty(),
                0,
                Optional.empty(),
                Optional.empty());
    }

    public static Transfer transfer(double gbs, double latencyUs) {
        return new Transfer(Optional.of(gbs), latencyUs, Share.FAIR, Optional.empty());
    }

    public static ServingClusterSettings cluster(
            Map<String, Pool> pools, RouterSettings router, Optional<Split> split, Transfer transfer) {
        boolean hands = pools.values().stream().anyMatch(pool -> pool.role() == PoolRole.PREFILL);
        return of(
                new TreeMap<>(pools),
                router,
                Optional.empty(),
                split,
                hands ? Optional.of(transfer) : Optional.empty());
    }

    /** Always the same instances, and nothing in front of them. */
    public static ServingClusterSettings of(
            Map<String, Pool> pools,
            RouterSettings router,
            Optional<RouterSettings> decodeRouter,
            Optional<Split> split,
            Optional<Transfer> transfer) {
        return new ServingClusterSettings(
                pools,
                router,
                decodeRouter,
                Optional.empty(),
                Optional.empty(),
                split,
                transfer,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                0.35,
                Optional.empty());
    }

    /** The same with starts, failures and stragglers. */
    public static ServingClusterSettings with(
            ServingClusterSettings cluster,
            Optional<Start> start,
            Optional<FailureSettings> failures,
            Optional<Stragglers> stragglers) {
        return new ServingClusterSettings(
                cluster.pools(),
                cluster.router(),
                cluster.decodeRouter(),
                cluster.signals(),
                cluster.kvEvents(),
                cluster.split(),
                cluster.transfer(),
                start,
                failures,
                stragglers,
                cluster.gateway(),
                cluster.sessions(),
                cluster.idlePower(),
                cluster.carbonGPerKwh());
    }

    /** The same with what is in front of it. */
    public static ServingClusterSettings behind(
            ServingClusterSettings cluster, Optional<GatewaySettings> gateway, Optional<Sessions.Settings> sessions) {
        return new ServingClusterSettings(
                cluster.pools(),
                cluster.router(),
                cluster.decodeRouter(),
                cluster.signals(),
                cluster.kvEvents(),
                cluster.split(),
                cluster.transfer(),
                cluster.start(),
                cluster.failures(),
                cluster.stragglers(),
                gateway,
                sessions,
                cluster.idlePower(),
                cluster.carbonGPerKwh());
    }

    /** The same with a router that looks at it from time to time. */
    public static ServingClusterSettings scraped(ServingClusterSettings cluster, Signals.Settings signals) {
        return new ServingClusterSettings(
                cluster.pools(),
                cluster.router(),
                cluster.decodeRouter(),
                Optional.of(signals),
                cluster.kvEvents(),
                cluster.split(),
                cluster.transfer(),
                cluster.start(),
                cluster.failures(),
                cluster.stragglers(),
                cluster.gateway(),
                cluster.sessions(),
                cluster.idlePower(),
                cluster.carbonGPerKwh());
    }

    /** The same with caches that tell. */
    public static ServingClusterSettings telling(ServingClusterSettings cluster, CacheNews.Settings events) {
        return new ServingClusterSettings(
                cluster.pools(),
                cluster.router(),
                cluster.decodeRouter(),
                cluster.signals(),
                Optional.of(events),
                cluster.split(),
                cluster.transfer(),
                cluster.start(),
                cluster.failures(),
                cluster.stragglers(),
                cluster.gateway(),
                cluster.sessions(),
                cluster.idlePower(),
                cluster.carbonGPerKwh());
    }

    /** The same with tiers. */
    public static Pool tiered(Pool pool, Tiers tiers) {
        return keeping(pool, Optional.of(tiers), pool.retainS());
    }

    /** The same whose caches keep what conversations leave. */
    public static Pool retaining(Pool pool, double seconds) {
        return keeping(pool, pool.tiers(), seconds);
    }

    private static Pool keeping(Pool pool, Optional<Tiers> tiers, double retainS) {
        return new Pool(
                pool.role(),
                pool.replicas(),
                pool.engine(),
                pool.hardware(),
                pool.tp(),
                pool.pp(),
                pool.weights(),
                pool.kvCache(),
                pool.scheduler(),
                pool.maxNumSeqs(),
                pool.maxNumBatchedTokens(),
                pool.memoryUtilization(),
                pool.scaling(),
                tiers,
                retainS,
                pool.loras(),
                pool.experts());
    }

    /** The same with slots of adapters. */
    public static Pool adapted(Pool pool, int slots) {
        return new Pool(
                pool.role(),
                pool.replicas(),
                pool.engine(),
                pool.hardware(),
                pool.tp(),
                pool.pp(),
                pool.weights(),
                pool.kvCache(),
                pool.scheduler(),
                pool.maxNumSeqs(),
                pool.maxNumBatchedTokens(),
                pool.memoryUtilization(),
                pool.scaling(),
                pool.tiers(),
                pool.retainS(),
                Optional.of(new Loras(slots, 16)),
                pool.experts());
    }

    /** The same on other devices. */
    static Pool on(Pool pool, HardwareCard hardware) {
        return new Pool(
                pool.role(),
                pool.replicas(),
                pool.engine(),
                Optional.of(hardware),
                pool.tp(),
                pool.pp(),
                pool.weights(),
                pool.kvCache(),
                pool.scheduler(),
                pool.maxNumSeqs(),
                pool.maxNumBatchedTokens(),
                pool.memoryUtilization(),
                pool.scaling(),
                pool.tiers(),
                pool.retainS(),
                pool.loras(),
                pool.experts());
    }

    /** The same with experts on devices of their own. */
    public static Pool sharing(Pool pool, ExpertSettings experts) {
        return new Pool(
                pool.role(),
                pool.replicas(),
                pool.engine(),
                pool.hardware(),
                pool.tp(),
                pool.pp(),
                pool.weights(),
                pool.kvCache(),
                pool.scheduler(),
                pool.maxNumSeqs(),
                pool.maxNumBatchedTokens(),
                pool.memoryUtilization(),
                pool.scaling(),
                pool.tiers(),
                pool.retainS(),
                pool.loras(),
                Optional.of(experts));
    }

    /** The same with scaling. */
    public static Pool scaled(Pool pool, ScalingSettings scaling) {
        return new Pool(
                pool.role(),
                pool.replicas(),
                pool.engine(),
                pool.hardware(),
                pool.tp(),
                pool.pp(),
                pool.weights(),
                pool.kvCache(),
                pool.scheduler(),
                pool.maxNumSeqs(),
                pool.maxNumBatchedTokens(),
                pool.memoryUtilization(),
                Optional.of(scaling),
                pool.tiers(),
                pool.retainS(),
                pool.loras(),
                pool.experts());
    }

    /** A pool with tensor parallelism and another precision of the cache. */
    public static Pool wide(PoolRole role, int replicas, int tp, Precision kvCache) {
        return new Pool(
                role,
                replicas,
                "vllm_v1",
                Optional.empty(),
                tp,
                1,
                Optional.empty(),
                Optional.of(kvCache),
                Optional.empty(),
                Optional.of(64),
                Optional.of(2048),
                Optional.of(0.9),
                Optional.empty(),
                Optional.empty(),
                0,
                Optional.empty(),
                Optional.empty());
    }

    /** The report of a cluster with its conditions. */
    public static ClusterReport report(ClusterSimSettings settings, ClusterFigures figures) {
        return new ClusterReport(
                settings.model().name(),
                figures,
                new ClusterConditions(settings, figures.pools, figures.trace, Optional.empty()).all(),
                Optional.empty());
    }

    public static ClusterSimSettings settings(ServingClusterSettings cluster) {
        return settings(cluster, "llama3_8b", "h100");
    }

    public static ClusterSimSettings settings(ServingClusterSettings cluster, String model, String hardware) {
        Map<String, EngineSettings> cards = new TreeMap<>();
        EngineSettings usual = Defaults.engine();
        for (String engine : new String[] {"vllm_v1", "sglang"}) {
            cards.put(
                    engine,
                    new EngineSettings(
                            usual.seed(),
                            usual.maxParametersM(),
                            usual.clock(),
                            usual.warmUp(),
                            CardFiles.engine(engine)));
        }
        return new ClusterSimSettings(
                CardFiles.model(model),
                CardFiles.hardware(hardware),
                Defaults.workload(),
                Defaults.arrival(),
                cards,
                cluster,
                Optional.empty(),
                Optional.empty());
    }

    /** Requests of up to 3,000 prompt and 300 output tokens, with {@code groups} common beginnings of most of the prompt. */
    public static RequestTrace requests(int size, double perSecond, int groups, long seed) {
        RandomStream random = RandomStream.of(seed, "requests");
        double[] arrivals = new double[size];
        int[] prompts = new int[size];
        int[] outputs = new int[size];
        Tokens[] tokens = new Tokens[size];
        double at = 0;
        for (int i = 0; i < size; i++) {
            at -= Math.log(1 - random.nextDouble()) / perSecond;
            arrivals[i] = at;
            prompts[i] = 2 + (int) random.below(2999);
            outputs[i] = 1 + (int) random.below(300);
            int common = groups == 0 ? 0 : prompts[i] * 7 / 8;
            tokens[i] = new Tokens.Builder()
                    .run(groups == 0 ? 0 : random.below(groups) * 1_000_000, common)
                    .run(SharedTokens.promptOf(i), prompts[i] - common)
                    .then(SharedTokens.outputOf(i));
        }
        return new RequestTrace(arrivals, prompts, outputs, request -> tokens[request]);
    }

    public static ClusterFigures run(ServingClusterSettings cluster, RequestTrace trace) {
        return run(settings(cluster), trace);
    }

    public static ClusterFigures run(ClusterSimSettings settings, RequestTrace trace) {
        var pools = PoolPlans.of(settings, 4096);
        ClusterSim sim = new ClusterSim(settings.cluster(), pools, trace);
        sim.run();
        return new ClusterFigures(sim, pools, trace, settings.cluster());
    }
}
