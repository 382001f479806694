package dev.stagesim.feature.cluster;

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
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice.Kind;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Validates the pools of a configuration and plans the memory of their instances. */
public final class PoolPlans {
    /** Default start times: 110 s for an 8B model in 16 bits, or 52 s if nodes have the image. */
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

    /** Returns all problems of a configuration; empty if there are none. */
    public static List<Problem> problems(ClusterSimSettings settings) {
        PoolPlans plans = new PoolPlans(settings);
        if (settings.cluster().pools().isEmpty()) {
            return List.of(Problem.config("cluster.pools", "contains no pool")
                    .hint("a pool needs a role and replicas; cluster=pd_2_2 has two pools"));
        }
        plans.roles();
        plans.unusedSections();
        plans.network();
        plans.ring("cluster.router", Optional.of(plans.cluster.routing().router()), PoolRole.BOTH);
        plans.ring("cluster.router", Optional.of(plans.cluster.routing().router()), PoolRole.PREFILL);
        plans.ring("cluster.decode_router", plans.cluster.routing().decodeRouter(), PoolRole.DECODE);
        plans.signals();
        plans.affinity("cluster.router", Optional.of(plans.cluster.routing().router()));
        plans.affinity("cluster.decode_router", plans.cluster.routing().decodeRouter());
        plans.cluster.pools().forEach(plans::pool);
        plans.operations();
        plans.problems.addAll(CacheChecks.problems(plans.cluster));
        plans.cluster.gateway().map(GatewayChecks::problems).ifPresent(plans.problems::addAll);
        if (plans.problems.isEmpty()) {
            plans.checkHandoffs();
            plans.failures();
        }
        return plans.problems;
    }

    private boolean has(PoolRole role) {
        return cluster.pools().values().stream().anyMatch(pool -> pool.role() == role);
    }

    private void add(String key, String message, String hint) {
        problems.add(Problem.config(key, message).hint(hint));
    }

    private void roles() {
        if (has(PoolRole.PREFILL) && !has(PoolRole.DECODE)) {
            add("cluster.pools", "has a prefill pool but no decode pool", "add a pool with role = decode");
        }
        if (has(PoolRole.DECODE) && !has(PoolRole.PREFILL)) {
            add(
                    "cluster.pools",
                    "has a decode pool but no prefill pool",
                    "add a pool with role = prefill, or give the pool role = both");
        }
    }

    private void unusedSections() {
        if (!has(PoolRole.PREFILL)) {
            String reason = "has no effect: there is no pool with role = prefill";
            cluster.split().ifPresent(set -> add("cluster.split", reason, "leave it out"));
            cluster.transfer().ifPresent(set -> add("cluster.transfer", reason, "leave it out"));
        } else if (has(PoolRole.BOTH) && !isSplitByLength()) {
            add(
                    "cluster.pools",
                    "has pools with role = both that receive no requests: all requests go to the prefill" + " pools",
                    "set cluster.split.kind=by_prompt_tokens, or remove those pools");
        }
        if (!has(PoolRole.DECODE)) {
            cluster.routing()
                    .decodeRouter()
                    .ifPresent(set -> add(
                            "cluster.decode_router",
                            "has no effect: there is no pool with role = decode",
                            "leave it out"));
        } else if (cluster.routing().decodeRouter().orElse(null) instanceof KvCost.Settings costs
                && (costs.overlapWeight() != KvCost.WEIGHT || costs.decayWeight() > 0)
                && !hasWholePrompts()) {
            add(
                    costs.decayWeight() > 0
                            ? "cluster.decode_router.decay_weight"
                            : "cluster.decode_router.overlap_weight",
                    "has no effect: decode pools do no prefill",
                    "leave it out");
        }
    }

    private void network() {
        Optional<Transfer> transfer = cluster.transfer();
        boolean isExclusive =
                transfer.filter(set -> set.share() == Share.EXCLUSIVE).isPresent();
        if (isExclusive && transfer.flatMap(Transfer::network).isPresent()) {
            add(
                    "cluster.transfer.share",
                    "has no effect: the network determines how transfers share links",
                    "leave it out");
        }
        transfer.flatMap(Transfer::network).map(KvNetwork::leaves).ifPresent(this::leaves);
    }

    private void leaves(KvNetwork.Leaves leaves) {
        int count = maxInstances();
        if (leaves.switches(count) > 1) {
            return;
        }
        String reason = "has no effect: all " + count + " instances share one leaf switch";
        String hint = "lower cluster.transfer.network.leaves.instances below " + count + ", or leave it out";
        if (leaves.oversubscription() != 1) {
            add("cluster.transfer.network.leaves.oversubscription", reason, hint);
        }
        if (leaves.placement() != KvNetwork.Placement.BY_POOL) {
            add("cluster.transfer.network.leaves.placement", reason, hint);
        }
    }

    /** Returns the maximum number of instances of all pools. */
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
                            "has no effect: no pool has autoscaling, and no instance fails",
                            "leave it out, or add a section scaling to a pool"));
        }
        cluster.pools().forEach((name, pool) -> {
            boolean runsInLockstep =
                    pool.experts().filter(ExpertSettings::lockstep).isPresent();
            if (runsInLockstep && cluster.failures().isPresent()) {
                add(
                        "cluster.failures",
                        "cannot be simulated with pool " + name + ": its instances run in lockstep",
                        "leave it out, or set cluster.pools." + name + ".experts.lockstep=false");
            }
        });
        cluster.failures()
                .flatMap(set -> set.problem(maxInstances()))
                .ifPresent(reason -> add(
                        "cluster.failures.times", reason, "instance numbers start at 0, as in cluster_instances.csv"));
    }

    private void scaling(String key, Pool pool, ScalingSettings scaling) {
        if (pool.replicas() < scaling.min() || pool.replicas() > scaling.max()) {
            add(
                    key + ".replicas",
                    "is " + pool.replicas() + ", which is not between scaling.min, " + scaling.min()
                            + ", and scaling.max, " + scaling.max(),
                    "replicas is the initial number of instances");
        } else if (isThroughputPlanner(scaling.rule()) && pool.role() == PoolRole.BOTH) {
            add(
                    key + ".scaling.rule." + (scaling.rule() instanceof Sla.Settings ? "kind" : "floor"),
                    "is Dynamo's throughput-based planner, which supports disaggregated pools only",
                    "use it for pools with role = prefill and role = decode, or use another rule");
        } else if (scaling.rule() instanceof LoadPlanner.Settings load
                && LoadPlanner.problem(load).isPresent()) {
            add(
                    key + ".scaling.rule.floor.interval_s",
                    LoadPlanner.problem(load).get(),
                    "the interval of the floor must be a multiple of the interval of the rule");
        } else if (scaling.rule().metric() == ScalerSettings.Metric.KV
                && scaling.rule().target() > 1) {
            add(
                    key + ".scaling.rule.metric",
                    "is kv, a share of the memory that cannot exceed 1 per instance",
                    "set target or threshold of the rule to 0.8, for example");
        } else if (scaling.min() == 0 && scaling.rule().metric() == ScalerSettings.Metric.KV) {
            add(
                    key + ".scaling.min",
                    "is 0, but scaling.rule.metric=kv is undefined without instances",
                    "set it to 1, or scaling.rule.metric=requests");
        } else if (scaling.min() == 0 && !scaling.rule().scalesFromZero()) {
            add(
                    key + ".scaling.min",
                    "is 0, and this rule cannot scale up from zero",
                    "set it to 1, or use scaling.rule.kind=keda or kpa");
        }
    }

    private static boolean isThroughputPlanner(ScalerSettings rule) {
        return rule instanceof Sla.Settings
                || (rule instanceof LoadPlanner.Settings load && load.floor().isPresent());
    }

    /** Returns true if decode pools also prefill requests that are not split. */
    private boolean hasWholePrompts() {
        return cluster.split().filter(Split.Missing.class::isInstance).isPresent()
                || (!has(PoolRole.BOTH) && isSplitByLength());
    }

    private boolean isSplitByLength() {
        return cluster.split().filter(Split.LongerThan.class::isInstance).isPresent();
    }

    private void ring(String key, Optional<RouterSettings> router, PoolRole role) {
        int pointsPerInstance = router.orElse(null) instanceof SessionHash.Settings session
                ? session.points()
                : router.orElse(null) instanceof ProductionKv.Settings kv ? kv.points() : 0;
        if (pointsPerInstance > 0) {
            long points = (long) instances(cluster, role) * pointsPerInstance;
            if (points > SessionHash.MAX_POINTS) {
                add(
                        key + ".points",
                        "is " + pointsPerInstance + ", which makes " + instances(cluster, role) + " instances have "
                                + points + " points, more than the maximum of " + SessionHash.MAX_POINTS,
                        "lower it, or the number of instances");
            }
        }
    }

    private void pool(String name, Pool pool) {
        String key = "cluster.pools." + name;
        if (!NAME.matcher(name).matches() || name.equals(ClusterWriter.LINKS)) {
            add(
                    key,
                    "is not a valid pool name",
                    "use lower-case letters, digits and _; the name " + ClusterWriter.LINKS + " is reserved");
        }
        if (!settings.engines().containsKey(pool.deployment().engine())) {
            List<String> known = List.copyOf(new TreeMap<>(settings.engines()).keySet());
            problems.add(Problem.config(
                            key + ".engine",
                            "is " + pool.deployment().engine() + ", which is not in the section engines")
                    .options(known)
                    .didYouMean(Suggest.near(pool.deployment().engine(), known)));
            return;
        }
        scheduler(key, pool);
        pool.loras().ifPresent(loras -> adapters(key, pool));
        pool.tiers().ifPresent(tiers -> tiers(key, pool, tiers));
        if (pool.sessionRetentionS() > 0 && !isVllm(pool)) {
            add(
                    key + ".session_retention_s",
                    "is supported for the scheduler vllm_v1 only",
                    "use vllm_v1, or leave it out");
        }
        pool.scaling().ifPresent(scaling -> scaling(key, pool, scaling));
        if (pool.scaling().isEmpty() && pool.replicas() == 0) {
            add(key + ".replicas", "is 0, and the pool has no autoscaling", "set replicas, or add a section scaling");
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
        boolean isSglang = pool.batches() instanceof SchedulerSettings.Sglang;
        if (pool.role() != PoolRole.BOTH && !isVllm(pool) && !isSglang) {
            add(
                    key + (pool.scheduling().scheduler().isPresent() ? ".scheduler.kind" : ".engine"),
                    "has a scheduler for whole requests only",
                    "use vllm_v1, trtllm or sglang for prefill and decode pools");
        }
        if (pool.role() == PoolRole.DECODE && isSglang && servesWholeRequests()) {
            add(
                    "cluster.split",
                    "sends whole requests to the pool " + key + ", but decode engines of SGLang compute no prompts",
                    "leave it out, or add a pool with role = both and use cluster.split.kind=by_prompt_tokens");
        }
        SchedulerSettings batches = pool.batches();
        if (batches.dataParallelSize() > 1) {
            add(
                    key + ".scheduler.data_parallel_size",
                    "is " + batches.dataParallelSize() + ", but an instance is one engine",
                    "set replicas, and experts.instances for a mixture of experts");
        }
        if (batches instanceof SchedulerSettings.VllmV1 vllm
                && vllm.lora().enableLora()
                && pool.loras().isEmpty()) {
            add(
                    key + ".scheduler.enable_lora",
                    "must not be set: the section loras enables it",
                    "set " + key + ".loras instead");
        }
    }

    /** Returns true if decode pools serve some requests without a prefill pool. */
    private boolean servesWholeRequests() {
        Split split = cluster.split().orElseGet(Split.Always::new);
        return split instanceof Split.Missing || (split instanceof Split.LongerThan && !has(PoolRole.BOTH));
    }

    private void tiers(String key, Pool pool, Tiers tiers) {
        if (tiers.all().stream().allMatch(Optional::isEmpty)) {
            add(key + ".tiers", "contains no tier", "set host, ssd or remote");
        }
        boolean isLow = tiers.ssd().isPresent() || tiers.remote().isPresent();
        if (tiers.prefetchTokens().isPresent() && (tiers.host().isEmpty() || !isLow)) {
            add(
                    key + ".tiers.prefetch_tokens",
                    "has no effect: it copies blocks from ssd or remote to host, and the pool has "
                            + (isLow ? "no host tier" : "neither ssd nor remote"),
                    "add the tiers, or leave it out");
        }
        if (pool.role() == PoolRole.DECODE || !isVllm(pool)) {
            add(key + ".tiers", "has no effect: lower tiers require vllm_v1 engines that do prefill", "leave it out");
        }
    }

    private void adapters(String key, Pool pool) {
        if (!isVllm(pool)) {
            add(key + ".loras", "is supported for the scheduler vllm_v1 only", "use vllm_v1, or leave it out");
        }
        if (hardware(pool).host().hostUniGbs().isEmpty()) {
            add(
                    key + ".loras",
                    "requires hardware.host_uni_gbs, which the card of "
                            + hardware(pool).name() + " does not specify: adapters are loaded from the host",
                    "set it, or leave loras out");
        }
    }

    private void affinity(String key, Optional<RouterSettings> router) {
        boolean isAny =
                cluster.pools().values().stream().anyMatch(pool -> pool.loras().isPresent());
        if (router.orElse(null) instanceof AdapterAffinity.Settings && !isAny) {
            add(key + ".kind", "is adapter, but no pool has LoRA adapters", "add a section loras to pools");
        }
        if (router.orElse(null) instanceof LlmD.Settings llmD) {
            if (!llmD.scorers().isAny()) {
                add(key + ".scorers", "have no weight", "give at least one scorer a weight, such as token_load");
            } else if (llmD.scorers().usesAdapters() && !isAny) {
                add(
                        key + ".scorers.lora_affinity",
                        "has no effect: no pool has LoRA adapters",
                        "add a section loras to pools, or leave it out");
            }
        }
    }

    private void signals() {
        boolean isRead = cluster.routing().router().readsSignals()
                || cluster.routing()
                        .decodeRouter()
                        .filter(RouterSettings::readsSignals)
                        .isPresent();
        if (cluster.routing().signals().isPresent() && !isRead) {
            add(
                    "cluster.signals",
                    "has no effect: the router does not read metrics of instances",
                    "leave it out, or use a router that reads metrics, such as llm_d with scorers.queue");
        }
    }

    private void devices(String key, Pool pool) {
        HardwareCard hardware = hardware(pool);
        String scheduler = key + ".scheduler.";
        String whole = scheduler + "kind="
                + (shape(pool).scheduler() instanceof SchedulerSettings.Sglang ? "sglang" : "vllm_v1") + ' ' + scheduler
                + "enable_expert_parallel=true";
        shape(pool).problems(settings.model(), hardware, pool.batches()).stream()
                .map(problem -> new Problem(
                        problem.category(),
                        problem.where().equals("hardware")
                                        && pool.deployment().hardware().isEmpty()
                                ? "hardware"
                                : poolKey(key, problem.where()),
                        problem.what(),
                        problem.notes().stream()
                                .map(note -> new Problem.Note(
                                        note.label(), note.text().replaceAll("\\bep=\\d+", whole)))
                                .toList()))
                .forEach(problems::add);
        boolean needsLink = pool.role() != PoolRole.BOTH
                && cluster.transfer().flatMap(Transfer::bandwidthGbs).isEmpty();
        if (needsLink && hardware.host().nicGbpsPerAccelTyp().isEmpty()) {
            add(
                    "cluster.transfer.bandwidth_gbs",
                    "must be set: the card of " + hardware.name() + " specifies no network",
                    "for example, cluster.transfer.bandwidth_gbs=25");
        }
    }

    /** Maps a key of a single-engine stage to the key of a pool. */
    private static String poolKey(String pool, String key) {
        return pool
                + '.'
                + key.replace("scheduler.max_num_", "max_num_")
                        .replace("model.kv_cache", "kv_cache")
                        .replaceFirst("model.(expert_)?weights", "weights")
                        .replace("cluster.tensor_parallel_size", "tp")
                        .replace("cluster.num_pipeline_stages", "pp");
    }

    /** Rejects failure rates that let no instance finish its start. */
    private void failures() {
        Start start = cluster.start().orElse(DEFAULT_START);
        cluster.pools().values().stream()
                .map(pool -> starts(start, replica(pool, shape(pool), 1).weightBytes()))
                .min(Comparator.comparingDouble(StartTimes::peer))
                .flatMap(fastest -> cluster.failures().flatMap(set -> set.whyNeverOpen(fastest.peer())))
                .ifPresent(reason -> add(
                        "cluster.failures.mtbf_h",
                        reason,
                        "raise it, or shorten cluster.start, for example with image_s=0"));
    }

    /** Checks that prefill and decode pools can exchange KV blocks. */
    private void checkHandoffs() {
        sameInPools(
                "engine",
                pool -> Kind.of(pool.deployment().engine()).map(Kind::words).orElse(""),
                ": engines of different kinds cannot exchange KV blocks");
        sameInPools(
                "scheduler.kind",
                pool -> pool.batches().getClass(),
                ": engines of different kinds cannot exchange KV blocks");
        sameInPools("kv_cache", pool -> shape(pool).kv(), ": KV blocks cannot be transferred between them");
    }

    private void sameInPools(String key, Function<Pool, Object> value, String why) {
        Map<Object, String> pools = new LinkedHashMap<>();
        cluster.pools().forEach((name, pool) -> {
            if (pool.role() != PoolRole.BOTH) {
                pools.putIfAbsent(value.apply(pool), name);
            }
        });
        if (pools.size() > 1) {
            List<String> names = List.copyOf(pools.values());
            add(
                    "cluster.pools." + names.get(1) + '.' + key,
                    "differs from pool " + names.get(0) + why,
                    "use the same " + key + " in both pools");
        }
    }

    private HardwareCard hardware(Pool pool) {
        return pool.deployment().hardware().orElse(settings.hardware());
    }

    private Shape shape(Pool pool) {
        ModelCard model = settings.model();
        EngineSettings engine = settings.engines().get(pool.deployment().engine());
        if (engine == null) {
            throw new IllegalStateException("the engine was not validated");
        }
        Precision weights = pool.deployment().weights().orElse(model.formats().weights());
        return new Shape(
                pool.deployment().engine(),
                engine.step(),
                pool.deployment().tp(),
                pool.deployment().pp(),
                weights,
                weights == model.formats().weights() ? model.expertPrecision() : weights,
                pool.deployment().kvCache().orElse(model.formats().kvCache()));
    }

    /** Returns warnings for settings that have no effect in this cluster but would in a larger one. */
    static List<String> warnings(ClusterSimSettings settings) {
        ServingClusterSettings cluster = settings.cluster();
        List<String> warnings = new ArrayList<>();
        if (!(cluster.routing().router() instanceof LeastOutstanding.Settings)
                && instances(cluster, PoolRole.BOTH) <= 1
                && instances(cluster, PoolRole.PREFILL) <= 1) {
            warnings.add("cluster.router has no effect: there is only one instance");
        }
        if (cluster.routing().decodeRouter().isPresent() && instances(cluster, PoolRole.DECODE) == 1) {
            warnings.add("cluster.decode_router has no effect: there is only one instance");
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
     * Plans the pools in order of their names.
     *
     * @param longest maximum sequence length in tokens
     * @throws StageException if a pool lacks memory for the model and the longest sequence, or if pools that publish KV
     *     events have different block sizes
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
            ReplicaModel fullReplica = plans.replica(pool, shape, longest);
            Optional<ExpertPlan> experts =
                    pool.experts().map(set -> ExpertPlan.of(set, shape, fullReplica.model(), hardware));
            ReplicaModel replica = fullReplica.sharing(experts.map(ExpertPlan::shared));
            PoolPlan plan = new PoolPlan(
                    name,
                    pool.role(),
                    pool.replicas(),
                    pool.scaling().map(scaling -> new PoolPlan.Range(scaling.min(), scaling.max())),
                    starts(start, replica.weightBytes()),
                    pool.tiers(),
                    pool.sessionRetentionS(),
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

    /** Returns the network bandwidth of a device in bytes per second, or 0 if the card specifies none. */
    static double networkBytesPerS(HardwareCard hardware) {
        return hardware.host().nicGbpsPerAccelTyp().orElse(0.0) / BITS * BYTES_PER_GB;
    }

    private static StartTimes starts(Start start, double weights) {
        double other = start.nodeProvisioningS() + start.imageS() + start.captureS() + start.warmUpS();
        double store = weights / (start.storeGbs() * BYTES_PER_GB);
        return new StartTimes(
                other + store,
                other
                        + start.peerGbs()
                                .map(rate -> weights / (rate * BYTES_PER_GB))
                                .orElse(store));
    }

    private ReplicaModel replica(Pool pool, Shape shape, int longest) {
        return shape.replica(
                settings.model(),
                hardware(pool),
                pool.batches(),
                pool.scheduling().memoryUtilization(),
                longest);
    }

    private static void checkRoom(PoolPlan pool) {
        try {
            pool.kvTokens();
        } catch (StageException e) {
            throw StageException.input(
                    Problem.config(
                                    "cluster.pools." + pool.name(),
                                    e.problems().get(0).what())
                            .hint("raise its tp or pp, store weights in fewer bits, use hardware with"
                                    + " more memory, lower max_num_batched_tokens or max_num_seqs, or limit"
                                    + " requests with workload.max_tokens"),
                    e);
        }
    }
}
