package dev.stagesim.feature.cluster;

import dev.stagesim.feature.EngineChoice.Shape;
import dev.stagesim.feature.cluster.autoscaler.LoadPlanner;
import dev.stagesim.feature.cluster.autoscaler.ScalerSettings;
import dev.stagesim.feature.cluster.autoscaler.ScalingSettings;
import dev.stagesim.feature.cluster.autoscaler.Sla;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Pool;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Share;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Split;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Start;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.experts.ExpertPlan;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolPlan.StartTimes;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.report.ClusterWriter;
import dev.stagesim.feature.cluster.router.AdapterAffinity;
import dev.stagesim.feature.cluster.router.KvCost;
import dev.stagesim.feature.cluster.router.LeastOutstanding;
import dev.stagesim.feature.cluster.router.LlmD;
import dev.stagesim.feature.cluster.router.ProductionKv;
import dev.stagesim.feature.cluster.router.RouterSettings;
import dev.stagesim.feature.cluster.router.SessionHash;
import dev.stagesim.feature.cluster.transfer.KvNetwork;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.model.card.HardwareCard;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.settings.EngineSettings;
import dev.stagesim.sim.serving.SchedulerSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Checks the pools of a configuration, and plans the memory of their instances. */
public final class PoolPlans {
    /** Starts where no section says otherwise: 110 s for an 8B model in 16 bits, 52 s where nodes have the image. */
    static final Start DEFAULT_START = KeyRecord.defaults(Start.class);

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,40}");
    private static final double BYTES_PER_GB = 1e9;
    private static final double BITS = 8;

    private final ClusterSimSettings settings;
    private final ServingClusterSettings cluster;
    private final List<Problem> problems = new ArrayList<>();

    private PoolPlans(ClusterSimSettings settings) {
        this.settings = settings;
        this.cluster = settings.cluster();
    }

    /** What is wrong with a configuration, before anything is planned; empty when nothing is. */
    public static List<Problem> problems(ClusterSimSettings settings) {
        PoolPlans plans = new PoolPlans(settings);
        if (settings.cluster().pools().isEmpty()) {
            return List.of(Problem.config("cluster.pools", "names no pool")
                    .hint("cluster=pd_2_2 has two; a pool needs a role and replicas"));
        }
        plans.roles();
        plans.unusedSections();
        plans.network();
        plans.ring("cluster.router", Optional.of(plans.cluster.router()), PoolRole.BOTH);
        plans.ring("cluster.router", Optional.of(plans.cluster.router()), PoolRole.PREFILL);
        plans.ring("cluster.decode_router", plans.cluster.decodeRouter(), PoolRole.DECODE);
        plans.signals();
        plans.affinity("cluster.router", Optional.of(plans.cluster.router()));
        plans.affinity("cluster.decode_router", plans.cluster.decodeRouter());
        plans.cluster.pools().forEach(plans::pool);
        plans.operations();
        plans.problems.addAll(CacheChecks.problems(plans.cluster));
        plans.cluster.gateway().map(GatewayChecks::problems).ifPresent(plans.problems::addAll);
        if (plans.problems.isEmpty()) {
            plans.sameCache();
            plans.failures();
        }
        return plans.problems;
    }

    private boolean has(PoolRole role) {
        return cluster.pools().values().stream().anyMatch(pool -> pool.role() == role);
    }

    private void add(String key, String what, String hint) {
        problems.add(Problem.config(key, what).hint(hint));
    }

    private void roles() {
        if (has(PoolRole.PREFILL) && !has(PoolRole.DECODE)) {
            add("cluster.pools", "has pools for prompts and no decode pool", "add a pool with role = decode");
        }
        if (has(PoolRole.DECODE) && !has(PoolRole.PREFILL)) {
            add(
                    "cluster.pools",
                    "has decode pools and no pool for prompts",
                    "add a pool with role = prefill, or give the pool role = both");
        }
    }

    private void unusedSections() {
        if (!has(PoolRole.PREFILL)) {
            String why = "has no effect: there is no pool with role = prefill";
            cluster.split().ifPresent(set -> add("cluster.split", why, "leave it out"));
            cluster.transfer().ifPresent(set -> add("cluster.transfer", why, "leave it out"));
        } else if (has(PoolRole.BOTH) && !isSplitByLength()) {
            add(
                    "cluster.pools",
                    "has mixed pools (role = both) that get no request: others have all of them",
                    "set cluster.split.kind=when_longer_than, or leave those pools out");
        }
        if (!has(PoolRole.DECODE)) {
            cluster.decodeRouter()
                    .ifPresent(set -> add(
                            "cluster.decode_router",
                            "has no effect: there is no pool with role = decode",
                            "leave it out"));
        } else if (cluster.decodeRouter().orElse(null) instanceof KvCost.Settings costs
                && (costs.overlapWeight() != KvCost.WEIGHT || costs.decayWeight() > 0)
                && !hasWholePrompts()) {
            add(
                    costs.decayWeight() > 0
                            ? "cluster.decode_router.decay_weight"
                            : "cluster.decode_router.overlap_weight",
                    "has no effect: decode pools compute no prompts",
                    "leave it out");
        }
    }

    private void network() {
        Optional<Transfer> transfer = cluster.transfer();
        boolean isExclusive = transfer.filter(set -> set.share() == Share.LINE).isPresent();
        if (isExclusive && transfer.flatMap(Transfer::network).isPresent()) {
            add("cluster.transfer.share", "has no effect: the network says how transfers share it", "leave it out");
        }
        transfer.flatMap(Transfer::network).map(KvNetwork::leaves).ifPresent(this::leaves);
    }

    private void leaves(KvNetwork.Leaves leaves) {
        int count = maxInstances();
        if (leaves.switches(count) > 1) {
            return;
        }
        String why = "has no effect: all " + count + " instances are behind one leaf switch";
        String hint = "lower cluster.transfer.network.leaves.instances below " + count + ", or leave it out";
        if (leaves.oversubscription() != 1) {
            add("cluster.transfer.network.leaves.oversubscription", why, hint);
        }
        if (leaves.placement() != KvNetwork.Placement.BY_POOL) {
            add("cluster.transfer.network.leaves.placement", why, hint);
        }
    }

    /** Instances of all pools, where they scale at their most. */
    private int maxInstances() {
        return cluster.pools().values().stream()
                .mapToInt(pool -> pool.scaling().map(ScalingSettings::max).orElse(pool.replicas()))
                .sum();
    }

    private void operations() {
        boolean scales = cluster.pools().values().stream()
                .anyMatch(pool -> pool.scaling().isPresent());
        if (!scales && cluster.failures().isEmpty()) {
            cluster.start()
                    .ifPresent(set -> add(
                            "cluster.start",
                            "has no effect: no pool scales, and no instance fails",
                            "leave it out, or give a pool a section scaling"));
        }
        cluster.pools().forEach((name, pool) -> {
            boolean runsInLockstep =
                    pool.experts().filter(ExpertSettings::lockstep).isPresent();
            if (runsInLockstep && cluster.failures().isPresent()) {
                add(
                        "cluster.failures",
                        "cannot be simulated with pool " + name + ", whose instances run every step together",
                        "leave it out, or set cluster.pools." + name + ".experts.lockstep=false");
            }
        });
        cluster.failures()
                .flatMap(set -> set.problem(maxInstances()))
                .ifPresent(why ->
                        add("cluster.failures.times", why, "count instances from 0, as in cluster_instances.csv"));
    }

    private void scaling(String key, Pool pool, ScalingSettings scaling) {
        if (pool.replicas() < scaling.min() || pool.replicas() > scaling.max()) {
            add(
                    key + ".replicas",
                    "is " + pool.replicas() + ", not within scaling.min, " + scaling.min() + ", and scaling.max, "
                            + scaling.max(),
                    "it is the number at first");
        } else if (isThroughputPlanner(scaling.rule()) && pool.role() == PoolRole.BOTH) {
            add(
                    key + ".scaling.rule." + (scaling.rule() instanceof Sla.Settings ? "kind" : "floor"),
                    "is Dynamo's planner by throughput, which plans for prompts and outputs apart",
                    "use it for pools with role = prefill and role = decode, or another rule");
        } else if (scaling.rule() instanceof LoadPlanner.Settings load
                && LoadPlanner.problem(load).isPresent()) {
            add(
                    key + ".scaling.rule.floor.interval_s",
                    LoadPlanner.problem(load).get(),
                    "the planner by throughput looks at every second or tenth look of the planner by load, for example");
        } else if (scaling.rule().metric() == ScalerSettings.Metric.KV
                && scaling.rule().target() > 1) {
            add(
                    key + ".scaling.rule.metric",
                    "is kv, a share of the memory, and no instance can have more than 1 of it",
                    "set the rule's target or threshold to 0.8, for example");
        } else if (scaling.min() == 0 && scaling.rule().metric() == ScalerSettings.Metric.KV) {
            add(
                    key + ".scaling.min",
                    "is 0, where scaling.rule.metric=kv sees nothing",
                    "set it to 1, or scaling.rule.metric=requests");
        } else if (scaling.min() == 0 && !scaling.rule().scalesFromZero()) {
            add(
                    key + ".scaling.min",
                    "is 0, from which this rule never comes back",
                    "set it to 1, or use scaling.rule.kind=keda or kpa");
        }
    }

    private static boolean isThroughputPlanner(ScalerSettings rule) {
        return rule instanceof Sla.Settings
                || (rule instanceof LoadPlanner.Settings load && load.floor().isPresent());
    }

    /** Whether decode pools compute prompts of requests that are not split. */
    private boolean hasWholePrompts() {
        return cluster.split().filter(Split.Missing.class::isInstance).isPresent()
                || (!has(PoolRole.BOTH) && isSplitByLength());
    }

    private boolean isSplitByLength() {
        return cluster.split().filter(Split.LongerThan.class::isInstance).isPresent();
    }

    private void ring(String key, Optional<RouterSettings> router, PoolRole role) {
        int each = router.orElse(null) instanceof SessionHash.Settings session
                ? session.points()
                : router.orElse(null) instanceof ProductionKv.Settings kv ? kv.points() : 0;
        if (each > 0) {
            long points = (long) instances(cluster, role) * each;
            if (points > SessionHash.MAX_POINTS) {
                add(
                        key + ".points",
                        "is " + each + ", which with " + instances(cluster, role) + " instances makes " + points
                                + " points, more than " + SessionHash.MAX_POINTS,
                        "lower it, or the replicas");
            }
        }
    }

    private void pool(String name, Pool pool) {
        String key = "cluster.pools." + name;
        if (!NAME.matcher(name).matches() || name.equals(ClusterWriter.LINKS)) {
            add(
                    key,
                    "cannot be told apart in tables and figures by this name",
                    "use lower-case letters, digits and _, and not " + ClusterWriter.LINKS);
        }
        if (!settings.engines().containsKey(pool.engine())) {
            List<String> known = List.copyOf(new TreeMap<>(settings.engines()).keySet());
            problems.add(Problem.config(key + ".engine", "is " + pool.engine() + ", which the section engines lacks")
                    .options(known)
                    .didYouMean(Suggest.near(pool.engine(), known)));
            return;
        }
        scheduler(key, pool);
        pool.loras().ifPresent(loras -> adapters(key, pool));
        pool.tiers().ifPresent(tiers -> tiers(key, pool, tiers));
        if (pool.retainS() > 0 && !isVllm(pool)) {
            add(key + ".retain_s", "is simulated for the scheduler vllm_v1 only", "use vllm_v1, or leave it out");
        }
        pool.scaling().ifPresent(scaling -> scaling(key, pool, scaling));
        if (pool.scaling().isEmpty() && pool.replicas() == 0) {
            add(key + ".replicas", "is 0, and the pool does not scale", "give it an instance, or a section scaling");
        }
        devices(key, pool);
        pool.experts()
                .flatMap(set -> ExpertChecks.firstProblem(key, pool, settings.model(), hardware(pool)))
                .ifPresent(problems::add);
    }

    private static boolean isVllm(Pool pool) {
        return pool.batches() instanceof SchedulerSettings.VllmV1;
    }

    private void scheduler(String key, Pool pool) {
        if (pool.role() != PoolRole.BOTH && !isVllm(pool)) {
            add(
                    key + (pool.scheduler().isPresent() ? ".scheduler.kind" : ".engine"),
                    "has another scheduler than vllm_v1, which is simulated for pools with role = both only",
                    "use vllm_v1 for prefill and decode pools");
        }
        SchedulerSettings batches = pool.batches();
        if (batches.dataParallelSize() > 1) {
            add(
                    key + ".scheduler.data_parallel_size",
                    "is " + batches.dataParallelSize() + ", and an instance is one engine",
                    "set replicas, and experts.instances with a mixture of experts");
        }
        if (batches instanceof SchedulerSettings.VllmV1 vllm
                && vllm.enableLora()
                && pool.loras().isEmpty()) {
            add(key + ".scheduler.enable_lora", "is set by the section loras", "set " + key + ".loras instead");
        }
    }

    private void tiers(String key, Pool pool, Tiers tiers) {
        if (tiers.all().stream().allMatch(Optional::isEmpty)) {
            add(key + ".tiers", "names no tier", "give it host, ssd or remote");
        }
        boolean isLow = tiers.ssd().isPresent() || tiers.remote().isPresent();
        if (tiers.prefetchTokens().isPresent() && (tiers.host().isEmpty() || !isLow)) {
            add(
                    key + ".tiers.prefetch_tokens",
                    "has no effect: it brings what ssd or remote have to host, of which there "
                            + (isLow ? "is none" : "are none"),
                    "give the pool those tiers, or leave it out");
        }
        if (pool.role() == PoolRole.DECODE || !isVllm(pool)) {
            add(
                    key + ".tiers",
                    "has no effect: tiers are below the caches of vllm_v1 engines that compute prompts",
                    "leave it out");
        }
    }

    private void adapters(String key, Pool pool) {
        if (!isVllm(pool)) {
            add(key + ".loras", "is simulated for the scheduler vllm_v1 only", "use vllm_v1, or leave it out");
        }
        if (hardware(pool).hostUniGbs().isEmpty()) {
            add(
                    key + ".loras",
                    "needs hardware.host_uni_gbs, which the card of "
                            + hardware(pool).name() + " does not state: adapters" + " come from the host",
                    "set it, or leave loras out");
        }
    }

    private void affinity(String key, Optional<RouterSettings> router) {
        boolean isAny =
                cluster.pools().values().stream().anyMatch(pool -> pool.loras().isPresent());
        if (router.orElse(null) instanceof AdapterAffinity.Settings && !isAny) {
            add(key + ".kind", "is adapter, and no pool has LoRA adapters", "give pools a section loras");
        }
        if (router.orElse(null) instanceof LlmD.Settings llmD) {
            if (!llmD.scorers().isAny()) {
                add(
                        key + ".scorers",
                        "have no weight, so that nothing is scored",
                        "set one of them, such as token_load");
            } else if (llmD.scorers().loraAffinity() > 0 && !isAny) {
                add(
                        key + ".scorers.lora_affinity",
                        "has no effect: no pool has LoRA adapters",
                        "give pools a section loras, or leave it out");
            }
        }
    }

    private void signals() {
        boolean isRead = cluster.router().readsSignals()
                || cluster.decodeRouter().filter(RouterSettings::readsSignals).isPresent();
        if (cluster.signals().isPresent() && !isRead) {
            add(
                    "cluster.signals",
                    "has no effect: the router knows instances by what it sent them",
                    "leave it out, or use a router that reads them, such as llm_d with scorers.queue");
        }
    }

    private void devices(String key, Pool pool) {
        HardwareCard hardware = hardware(pool);
        if (hardware.kernels().source().isEmpty() || hardware.bf16OrFp16Tflops().isEmpty()) {
            add(
                    pool.hardware().isPresent() ? key + ".hardware" : "hardware",
                    "there are no kernel figures for the architecture of " + hardware.name(),
                    "choose other hardware");
            return;
        }
        shape(pool).problems(settings.model(), hardware, pool.batches()).stream()
                .map(problem ->
                        new Problem(problem.category(), poolKey(key, problem.where()), problem.what(), problem.notes()))
                .forEach(problems::add);
        boolean needsLink = pool.role() != PoolRole.BOTH
                && cluster.transfer().flatMap(Transfer::bandwidthGbs).isEmpty();
        if (needsLink && hardware.nicGbpsPerAccelTyp().isEmpty()) {
            add(
                    "cluster.transfer.bandwidth_gbs",
                    "must be given: the card of " + hardware.name() + " states no network",
                    "for example cluster.transfer.bandwidth_gbs=25");
        }
    }

    /** Returns the key of a pool for a key of a stage with one engine. */
    private static String poolKey(String pool, String key) {
        return pool
                + '.'
                + key.replace("scheduler.max_num_", "max_num_")
                        .replace("cluster.tensor_parallel_size", "tp")
                        .replace("cluster.num_pipeline_stages", "pp");
    }

    /** Refuses failures that leave no instance the time to start. */
    private void failures() {
        Start start = cluster.start().orElse(DEFAULT_START);
        cluster.pools().values().stream()
                .map(pool -> starts(start, replica(pool, shape(pool), 1).weightBytes()))
                .min(Comparator.comparingDouble(StartTimes::peer))
                .flatMap(fastest -> cluster.failures().flatMap(set -> set.whyNeverOpen(fastest.peer())))
                .ifPresent(why -> add(
                        "cluster.failures.mtbf_h",
                        why,
                        "raise it, or shorten cluster.start, such as image_s=0 if nodes have the image"));
    }

    private void sameCache() {
        Map<Precision, String> stored = new LinkedHashMap<>();
        cluster.pools().forEach((name, pool) -> {
            if (pool.role() != PoolRole.BOTH) {
                stored.putIfAbsent(shape(pool).kv(), name);
            }
        });
        if (stored.size() > 1) {
            List<String> names = List.copyOf(stored.values());
            add(
                    "cluster.pools." + names.get(1) + ".kv_cache",
                    "differs from that of " + names.get(0) + ": keys and values cannot move between them",
                    "store the KV cache of both alike");
        }
    }

    private HardwareCard hardware(Pool pool) {
        return pool.hardware().orElse(settings.hardware());
    }

    private Shape shape(Pool pool) {
        ModelCard model = settings.model();
        EngineSettings engine = settings.engines().get(pool.engine());
        if (engine == null) {
            throw new IllegalStateException("an engine that was refused");
        }
        Precision weights = pool.weights().orElse(model.weights());
        return new Shape(
                pool.engine(),
                engine.step(),
                pool.tp(),
                pool.pp(),
                weights,
                weights == model.weights() ? model.expertPrecision() : weights,
                pool.kvCache().orElse(model.kvCache()));
    }

    /** What does nothing in this cluster but would in a larger one. */
    static List<String> warnings(ClusterSimSettings settings) {
        ServingClusterSettings cluster = settings.cluster();
        List<String> warnings = new ArrayList<>();
        if (!(cluster.router() instanceof LeastOutstanding.Settings)
                && instances(cluster, PoolRole.BOTH) <= 1
                && instances(cluster, PoolRole.PREFILL) <= 1) {
            warnings.add("cluster.router has no effect: there is one instance to choose");
        }
        if (cluster.decodeRouter().isPresent() && instances(cluster, PoolRole.DECODE) == 1) {
            warnings.add("cluster.decode_router has no effect: there is one instance to choose");
        }
        return warnings;
    }

    private static int instances(ServingClusterSettings cluster, PoolRole role) {
        return cluster.pools().values().stream()
                .filter(pool -> pool.role() == role)
                .mapToInt(pool -> pool.scaling().map(ScalingSettings::max).orElse(pool.replicas()))
                .sum();
    }

    /**
     * The pools in order of their names.
     *
     * @param longest longest sequence
     * @throws StageException when a pool cannot hold the model and such a sequence, or caches that tell their blocks have unequal ones
     */
    public static List<PoolPlan> of(ClusterSimSettings settings, int longest) {
        PoolPlans plans = new PoolPlans(settings);
        List<PoolPlan> pools = new ArrayList<>();
        Start start = settings.cluster().start().orElse(DEFAULT_START);
        new TreeMap<>(settings.cluster().pools()).forEach((name, pool) -> {
            Shape shape = plans.shape(pool);
            HardwareCard hardware = plans.hardware(pool);
            double network = settings.cluster()
                    .transfer()
                    .flatMap(Transfer::bandwidthGbs)
                    .map(rate -> rate * BYTES_PER_GB)
                    .orElse(networkBytesPerS(hardware));
            ReplicaModel alone = plans.replica(pool, shape, longest);
            Optional<ExpertPlan> experts =
                    pool.experts().map(set -> ExpertPlan.of(set, shape, alone.model(), hardware));
            ReplicaModel replica = alone.sharing(experts.map(ExpertPlan::shared));
            PoolPlan plan = new PoolPlan(
                    name,
                    pool.role(),
                    pool.replicas(),
                    pool.scaling().map(scaling -> new PoolPlan.Range(scaling.min(), scaling.max())),
                    starts(start, replica.weightBytes()),
                    pool.tiers(),
                    pool.retainS(),
                    experts,
                    replica,
                    shape,
                    network * shape.devices());
            checkRoom(plan);
            pools.add(plan);
        });
        StageException.refuse(CacheChecks.problems(settings.cluster(), pools));
        return pools;
    }

    /** Network of a device by its card; 0 for none. */
    static double networkBytesPerS(HardwareCard hardware) {
        return hardware.nicGbpsPerAccelTyp().orElse(0.0) / BITS * BYTES_PER_GB;
    }

    private static StartTimes starts(Start start, double weights) {
        double other = start.nodeS() + start.imageS() + start.captureS() + start.warmUpS();
        double store = weights / (start.storeGbs() * BYTES_PER_GB);
        return new StartTimes(
                other + store,
                other
                        + start.peerGbs()
                                .map(rate -> weights / (rate * BYTES_PER_GB))
                                .orElse(store));
    }

    private ReplicaModel replica(Pool pool, Shape shape, int longest) {
        return shape.replica(settings.model(), hardware(pool), pool.batches(), pool.memoryUtilization(), longest);
    }

    private static void checkRoom(PoolPlan pool) {
        try {
            pool.kvTokens();
        } catch (StageException e) {
            throw StageException.input(
                    Problem.config(
                                    "cluster.pools." + pool.name(),
                                    e.problems().get(0).what())
                            .hint(
                                    "raise its tp or pp, store weights in fewer bits, choose hardware with more memory, lower"
                                            + " max_num_batched_tokens or max_num_seqs, or cap requests with workload.max_tokens"),
                    e);
        }
    }
}
