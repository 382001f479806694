package dev.stagesim.feature.cluster;

import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.autoscaler.ScalingSettings;
import dev.stagesim.feature.cluster.cache.KvEventBus;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.engine.ClosedLoopSessions;
import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Loras;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Share;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Start;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Stragglers;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.gateway.GatewaySettings;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.Signals;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.ClusterReport;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.measure.Defaults;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.SharedTokens;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Settings and requests of small clusters for tests. */
public final class Clusters {
    private Clusters() {}

    public static Pool pool(PoolRole role, int replicas) {
        return pool(role, replicas, "vllm_v1", 0.9, 64);
    }

    public static Pool pool(PoolRole role, int replicas, String engine, double memory, int seqs) {
        return KeyRecord.of(
                Pool.class,
                Map.of(
                        "role",
                        role,
                        "replicas",
                        replicas,
                        "engine",
                        engine,
                        "maxNumSeqs",
                        Optional.of(seqs),
                        "maxNumBatchedTokens",
                        Optional.of(2048),
                        "memoryUtilization",
                        Optional.of(memory)));
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

    /** Creates a cluster of constant size without a gateway. */
    public static ServingClusterSettings of(
            Map<String, Pool> pools,
            RouterSettings router,
            Optional<RouterSettings> decodeRouter,
            Optional<Split> split,
            Optional<Transfer> transfer) {
        return KeyRecord.of(
                ServingClusterSettings.class,
                Map.of(
                        "pools", pools,
                        "router", router,
                        "decodeRouter", decodeRouter,
                        "split", split,
                        "transfer", transfer));
    }

    /** Sets starts, failures and stragglers. */
    public static ServingClusterSettings with(
            ServingClusterSettings cluster,
            Optional<Start> start,
            Optional<FailureSettings> failures,
            Optional<Stragglers> stragglers) {
        return KeyRecord.with(
                ServingClusterSettings.class,
                cluster,
                Map.of("start", start, "failures", failures, "stragglers", stragglers));
    }

    /** Sets the gateway and the sessions. */
    public static ServingClusterSettings withGateway(
            ServingClusterSettings cluster,
            Optional<GatewaySettings> gateway,
            Optional<ClosedLoopSessions.Settings> sessions) {
        return KeyRecord.with(ServingClusterSettings.class, cluster, Map.of("gateway", gateway, "sessions", sessions));
    }

    /** Sets how routers scrape instances. */
    public static ServingClusterSettings scraped(ServingClusterSettings cluster, Signals.Settings signals) {
        return KeyRecord.with(ServingClusterSettings.class, cluster, Map.of("signals", Optional.of(signals)));
    }

    /** Sets KV events. */
    public static ServingClusterSettings withKvEvents(ServingClusterSettings cluster, KvEventBus.Settings events) {
        return KeyRecord.with(ServingClusterSettings.class, cluster, Map.of("kvEvents", Optional.of(events)));
    }

    /** Adds lower cache tiers. */
    public static Pool tiered(Pool pool, Tiers tiers) {
        return KeyRecord.with(Pool.class, pool, Map.of("tiers", Optional.of(tiers)));
    }

    /** Sets the retention time of sessions. */
    public static Pool retaining(Pool pool, double seconds) {
        return KeyRecord.with(Pool.class, pool, Map.of("sessionRetentionS", seconds));
    }

    /** Adds slots for LoRA adapters. */
    public static Pool adapted(Pool pool, int slots) {
        return KeyRecord.with(Pool.class, pool, Map.of("loras", Optional.of(new Loras(slots, 16))));
    }

    /** Sets the hardware. */
    static Pool on(Pool pool, HardwareCard hardware) {
        return KeyRecord.with(Pool.class, pool, Map.of("hardware", Optional.of(hardware)));
    }

    /** Adds shared experts. */
    public static Pool sharing(Pool pool, ExpertSettings experts) {
        return KeyRecord.with(Pool.class, pool, Map.of("experts", Optional.of(experts)));
    }

    /** Adds autoscaling. */
    public static Pool scaled(Pool pool, ScalingSettings scaling) {
        return KeyRecord.with(Pool.class, pool, Map.of("scaling", Optional.of(scaling)));
    }

    /** Creates a pool with tensor parallelism and another precision of the KV cache. */
    public static Pool wide(PoolRole role, int replicas, int tp, Precision kvCache) {
        return KeyRecord.with(Pool.class, pool(role, replicas), Map.of("tp", tp, "kvCache", Optional.of(kvCache)));
    }

    /** Returns the report of a cluster with its conditions. */
    public static ClusterReport report(ClusterSimSettings settings, ClusterFigures figures) {
        return new ClusterReport(
                settings.model().name(),
                figures,
                new ClusterConditions(settings, figures.pools, figures.trace, Optional.empty(), "arrivals").all(),
                Optional.empty());
    }

    public static ClusterSimSettings settings(ServingClusterSettings cluster) {
        return settings(cluster, "llama3_8b", "h100");
    }

    public static ClusterSimSettings settings(ServingClusterSettings cluster, String model, String hardware) {
        Map<String, EngineSettings> cards = new TreeMap<>();
        EngineSettings usual = Defaults.engine();
        for (String engine : new String[] {"vllm_v1", "sglang", "trtllm"}) {
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

    /**
     * Returns requests of up to 3,000 prompt and 300 output tokens. Each of {@code groups} groups shares most of its
     * prompts as a prefix.
     */
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
