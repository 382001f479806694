package dev.stagesim.serving;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.DraftTimes;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.sim.kernels.ContextTimes;
import dev.stagesim.sim.kernels.DraftedTimes;
import dev.stagesim.sim.kernels.EngineTimes;
import dev.stagesim.sim.kernels.ExpertTimes;
import dev.stagesim.sim.kernels.ExpertTraffic;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.kernels.StepModel;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One replica of a model: the settings that determine its step times, memory plan and batches. All stages that simulate serving
 * build their engines from this record.
 *
 * @param hardware the device
 * @param predictor the source of operator times; {@link PredictorSettings.Auto} is already resolved
 * @param engine the engine overheads on top of operator times
 * @param scheduler the scheduler
 * @param cluster replicas and parallelism
 * @param overheads the overheads on top of operator times
 * @param maxTokens the sequence length that the memory plan reserves; empty for the longest request
 * @param timeLimit the time when the simulation stops, in seconds; empty for never
 * @param compat the reference that is reproduced
 * @param shared the distribution of experts over several replicas; empty if each replica has all experts
 */
public record ReplicaModel(
        ModelCard model,
        HardwareCard hardware,
        PredictorSettings predictor,
        StepCard engine,
        SchedulerSettings scheduler,
        ClusterSettings cluster,
        SimulationSettings.Overheads overheads,
        Optional<Integer> maxTokens,
        Optional<Double> timeLimit,
        CompatMode compat,
        Optional<SharedExperts> shared) {
    /**
     * Routed experts on the devices of several replicas.
     *
     * @param sharding the sharding of a layer over the devices of all these replicas
     * @param storedExperts experts per layer in the memory of one replica, with duplicates
     * @param isOneEngine whether one engine drives all these devices
     */
    public record SharedExperts(Sharding sharding, double storedExperts, boolean isOneEngine) {}

    private static final double MS_PER_S = 1e3;
    private static final double US_PER_MS = 1e3;

    /** Context of the single request for the speed-up check of drafts, in tokens. */
    private static final int WARNING_CONTEXT = 1024;

    /** Returns a replica with computed step times, for sequences of at most {@code longest} tokens. */
    public static ReplicaModel computed(
            ModelCard model,
            HardwareCard hardware,
            StepCard engine,
            SchedulerSettings scheduler,
            ClusterSettings cluster,
            int longest) {
        return new ReplicaModel(
                model,
                hardware,
                new PredictorSettings.Computed(),
                engine,
                scheduler,
                cluster,
                KeyRecord.defaults(SimulationSettings.Overheads.class),
                Optional.of(longest),
                Optional.empty(),
                CompatMode.NONE,
                Optional.empty());
    }

    private ReplicaModel with(Map<String, ?> changes) {
        return KeyRecord.with(ReplicaModel.class, this, changes);
    }

    /** Returns the name of a scheduler in settings. */
    public static String name(SchedulerSettings scheduler) {
        return KeyRecord.kind(scheduler.getClass());
    }

    /** Returns this replica with shared experts. */
    public ReplicaModel sharing(Optional<SharedExperts> experts) {
        return with(Map.of("shared", experts));
    }

    /** Returns an engine of this replica with data-parallel attention. The engines share the experts. */
    public ReplicaModel engineWith(SharedExperts experts) {
        Map<String, Object> alone = Map.of("dataParallelSize", 1, "enableExpertParallel", false);
        SchedulerSettings single = scheduler instanceof SchedulerSettings.VllmV1 vllm
                ? KeyRecord.with(SchedulerSettings.VllmV1.class, vllm, alone)
                : scheduler instanceof SchedulerSettings.Sglang sglang
                        ? KeyRecord.with(SchedulerSettings.Sglang.class, sglang, alone)
                        : scheduler;
        return with(Map.of("scheduler", single, "shared", Optional.of(experts)));
    }

    /** Returns this replica with limits of its steps and memory, for sequences of at most {@code longest} tokens. */
    public ReplicaModel limited(EngineSchedulers.Limits limits, int longest) {
        return with(Map.of("scheduler", EngineSchedulers.with(scheduler, limits), "maxTokens", Optional.of(longest)));
    }

    /**
     * Returns {@code replicas} of this replica with round-robin load balancing, simulated for at most {@code seconds}; 0 for no
     * limit.
     */
    public ReplicaModel replicated(int replicas, double seconds) {
        return with(Map.of(
                "cluster",
                KeyRecord.with(ClusterSettings.class, cluster, Map.of("replicas", replicas)),
                "timeLimit",
                seconds > 0 ? Optional.of(seconds) : Optional.empty()));
    }

    /** Returns this replica without engine overheads. */
    public ReplicaModel operatorsOnly() {
        return with(Map.of("engine", engine.none()));
    }

    /** Returns problems that are independent of workload and bundle, such as a parallelism that does not divide the model. */
    public List<Problem> problems() {
        List<Problem> problems = new ArrayList<>(engineProblems());
        if (isComputed()) {
            if (overheads.host().orElse(false)) {
                problems.add(Problem.config(
                                "simulation.overheads.host",
                                "is true, but computed times have no bundle with host overheads")
                        .hint("set predictor=interpolation and profile.host, or omit it"));
            }
            if (problems.isEmpty()) {
                problems.addAll(DeviceChecks.problems(this));
            }
        }
        return problems;
    }

    /** Returns reasons why engines refuse the replica; first the parallelism, then formats and features. */
    List<Problem> engineProblems() {
        try {
            ReplicaSpecs.of(this, 1, false, 0, 0); // the specification checks itself
        } catch (StageException e) {
            return e.problems();
        }
        return EngineChecks.problems(this);
    }

    /** Returns why the replica cannot run its longest sequence; empty if it can. */
    public Optional<String> whyInfeasible() {
        List<Problem> problems = problems();
        if (problems.isEmpty()) {
            try {
                memory();
            } catch (StageException noRoom) {
                problems = noRoom.problems();
            }
        }
        return problems.stream().findFirst().map(Problem::what);
    }

    /** Returns the specification of a replica with computed times, for its longest sequence. */
    public ServingSpec spec() {
        return spec(maxTokens.orElseThrow());
    }

    /** Returns the specification of a replica with computed times, for sequences of at most {@code longest} tokens. */
    ServingSpec spec(int longest) {
        return Unchecked.get(() -> spec(longest, false, Path.of(""))); // nothing is read
    }

    /**
     * Returns the specification for the simulator, without requests and operator times.
     *
     * @param bundle the profiling bundle; not read without one
     */
    public ServingSpec spec(int longestRequest, boolean host, Path bundle) throws IOException {
        double requestMs = host && hasBundle() ? BundleTimes.requestMs(this, bundle) : 0;
        double tokenMs = 0;
        if (addsEngine(host)) {
            requestMs = engine.host().requestUs() / US_PER_MS;
            tokenMs = engine.host().promptTokenUs() / US_PER_MS;
        }
        return ReplicaSpecs.of(this, longestRequest, host, requestMs / MS_PER_S, tokenMs / MS_PER_S);
    }

    /** Returns the memory plan with computed times. */
    MemoryPlan memory() {
        return MemoryPlan.of(spec());
    }

    /** Returns true if operator times are computed from the cards. */
    public boolean isComputed() {
        return predictor instanceof PredictorSettings.Computed;
    }

    /** Returns true if operator times are from a profiling bundle. */
    public boolean hasBundle() {
        return !isComputed() && !(predictor instanceof PredictorSettings.Tables);
    }

    /**
     * Returns true if steps include host overheads: as set; otherwise if the bundle has them, except with {@code compat=vidur}.
     *
     * @param bundle the profiling bundle; not read without one
     */
    public boolean addsHost(Path bundle) throws IOException {
        Optional<Boolean> stated = overheads.host();
        if (stated.isPresent() || compat == CompatMode.VIDUR || isComputed()) {
            return stated.orElse(false);
        }
        return predictor instanceof PredictorSettings.Tables tables
                ? TimesFolder.file(tables.dir(), Operator.SCHEDULE).isPresent()
                : BundleTimes.hasHost(this, bundle);
    }

    /**
     * Returns the operator times, either computed or from the bundle or tables.
     *
     * @param longest the longest sequence that is simulated
     * @param bundle the profiling bundle; not read without one
     * @param warn receives warnings
     * @param cache the folder of trained predictors
     */
    public OperatorTimes times(int longest, boolean host, Path bundle, Consumer<String> warn, Optional<Path> cache)
            throws IOException {
        return times(longest, host, bundle, warn, beyond -> warn.accept("extrapolated: " + beyond), cache);
    }

    /**
     * Like the overload without {@code extrapolated}.
     *
     * @param extrapolated receives descriptions of sizes beyond the bundle
     */
    public OperatorTimes times(
            int longest,
            boolean host,
            Path bundle,
            Consumer<String> warn,
            Consumer<String> extrapolated,
            Optional<Path> cache)
            throws IOException {
        settingWarnings(longest).forEach(warn);
        if (isComputed()) {
            return computedTimes(longest, warn);
        }
        OperatorTimes operators = predictor instanceof PredictorSettings.Tables tables
                ? OperatorTables.read(this, tables, host)
                : BundleTimes.read(this, longest, host, bundle, warn, extrapolated, cache);
        operators = withContext(operators);
        if (ExpertSharing.isSpread(scheduler, model)) {
            operators = new ExpertTimes(operators, new LayerTimes(model, hardware, engine, sharding()));
        }
        return drafted(operators, addsEngine(host), warn);
    }

    /** Returns times that include the cost of drafts, if the scheduler uses speculative decoding. */
    private OperatorTimes drafted(OperatorTimes operators, boolean isEngine, Consumer<String> warn) {
        OperatorTimes times = isEngine ? new EngineTimes(operators, step()) : operators;
        Optional<Drafts> drafts = Drafts.of(scheduler, model);
        if (drafts.isEmpty()) {
            return times;
        }
        if (hardware.bf16OrFp16Tflops().isEmpty()) {
            warn.accept("the cost of drafts is not modelled: the card of " + hardware.name() + " has no 16-bit rate");
            return times;
        }
        StepModel step = step();
        DraftedTimes drafted = new DraftedTimes(times, drafts.get().cost(this, operators, step));
        drafts.get().warnings(drafted, step, WARNING_CONTEXT).forEach(warn);
        return drafted;
    }

    /** Returns warnings about KV blocks beyond the memory, and about the drafts in computed times. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(settingWarnings(maxTokens.orElseThrow()));
        if (Drafts.of(scheduler, model).isPresent()) {
            computedTimes(maxTokens.orElseThrow(), warnings::add);
        }
        return warnings;
    }

    private List<String> settingWarnings(int longest) {
        List<String> warnings = new ArrayList<>();
        blocksWarning(longest).ifPresent(warnings::add);
        sequencesWarning().ifPresent(warnings::add);
        schedulerWarning().ifPresent(warnings::add);
        warnings.addAll(EngineChecks.warnings(this));
        return warnings;
    }

    /** Returns a warning if a stated limit of tokens lowers the engine's own limit of sequences. */
    private Optional<String> sequencesWarning() {
        if (!(scheduler instanceof SchedulerSettings.VllmV1 engineScheduler)
                || engineScheduler.maxNumSeqs().isPresent()) {
            return Optional.empty();
        }
        int usual = ServingSpecs.vllmDefaults(hardware).maxNumSeqs();
        return engineScheduler
                .maxNumBatchedTokens()
                .filter(tokens -> tokens < usual)
                .map(tokens -> "scheduler.max_num_batched_tokens=" + tokens + " lowers scheduler.max_num_seqs from "
                        + usual + " to " + tokens + ", as in vLLM");
    }

    /** Returns a warning if the step times are of an engine with another scheduler. */
    private Optional<String> schedulerWarning() {
        if (compat == CompatMode.VIDUR || engine.graphs().execution() == StepCard.Execution.NONE) {
            return Optional.empty();
        }
        return engine.versions()
                .filter(versions -> isEngine(versions, "vLLM V1", SchedulerSettings.VllmV1.class)
                        || isEngine(versions, "SGLang", SchedulerSettings.Sglang.class))
                .map(versions -> "scheduler.kind=" + name(scheduler)
                        + " is not the scheduler of the engine whose step times are used (" + versions
                        + "); add scheduler=<name of the engine> to choose it");
    }

    private boolean isEngine(String versions, String name, Class<?> itsScheduler) {
        return versions.startsWith(name) && !itsScheduler.isInstance(scheduler);
    }

    /** Returns a warning if the KV blocks that the scheduler states do not fit the memory of a device. */
    private Optional<String> blocksWarning(int longest) {
        if (scheduler.numBlocks().isEmpty() || compat == CompatMode.VIDUR) {
            return Optional.empty();
        }
        ServingSpec spec = spec(longest);
        return MemoryPlan.of(spec).excess(spec, blocksKey());
    }

    /** Returns the key that states the KV blocks. */
    String blocksKey() {
        return scheduler instanceof SchedulerSettings.VllmV1
                ? "scheduler.num_gpu_blocks_override"
                : scheduler instanceof SchedulerSettings.Sglang ? "scheduler.max_total_tokens" : "scheduler.num_blocks";
    }

    /** Returns the mean output tokens of a request in a step with accepted drafts; 1 without drafts. */
    public double tokensPerStep() {
        return Drafts.of(scheduler, model).map(Drafts::tokens).orElse(1.0);
    }

    /** Returns the time that drafts add to a step; empty without drafts. */
    public Optional<DraftTimes> draftTimes() {
        return Drafts.of(scheduler, model).map(drafts -> drafts.cost(this, engineTimes(), step()));
    }

    /** Returns notes about storage without products, assumed acceptance of drafts, and the devices of engines. */
    public Stream<String> notes() {
        return Stream.of(
                        ConditionText.dequantised(model, hardware),
                        Drafts.of(scheduler, model).flatMap(Drafts::assumed),
                        EngineChecks.attentionNote(this))
                .flatMap(Optional::stream);
    }

    /** Returns the speculative decoding as text; empty without drafts. */
    public Optional<String> drafts() {
        return Drafts.of(scheduler, model).map(Drafts::text);
    }

    /** Returns the computed operator times for the longest sequence. */
    public OperatorTimes times() {
        return computedTimes(maxTokens.orElseThrow(), warning -> {});
    }

    /**
     * Returns the computed operator times with the expert selection and placement of {@code traffic}, or with the default
     * popularity if it is null.
     *
     * @param isTogether whether replicas that share experts run in lockstep
     */
    public OperatorTimes times(@Nullable ExpertTraffic traffic, boolean isTogether) {
        return drafted(
                operators(layers(maxTokens.orElseThrow(), traffic), isTogether), addsEngine(false), warning -> {});
    }

    /** Returns computed times of an engine's steps without drafts. */
    public EngineTimes engineTimes() {
        LayerTimes layers = layers(maxTokens.orElseThrow(), null);
        return new EngineTimes(operators(layers, ExpertSharing.isSpread(scheduler, model)), step(layers));
    }

    /**
     * Returns the time in ms in which the layers of a stage send tokens to experts and back; 0 if engines share no experts.
     *
     * @param tokens tokens of each engine in the step
     * @param traffic selection and placement of experts; null for the default popularity
     */
    public double exchangeMs(int tokens, @Nullable ExpertTraffic traffic) {
        LayerTimes layers = layers(maxTokens.orElseThrow(), traffic);
        int copies = shared.map(SharedExperts::sharding).orElse(sharding()).attentionCopies();
        return copies == 1 || !model.isMixtureOfExperts()
                ? 0
                : step(layers).layers() * layers.exchangeMilliseconds(tokens, (long) copies * tokens);
    }

    private OperatorTimes computedTimes(int longest, Consumer<String> warn) {
        boolean isSpread = ExpertSharing.isSpread(scheduler, model);
        return drafted(operators(layers(longest, null), isSpread), addsEngine(false), warn);
    }

    private OperatorTimes operators(LayerTimes layers, boolean isSpread) {
        OperatorTimes operators = withContext(layers);
        return isSpread ? new ExpertTimes(operators, layers) : operators;
    }

    private LayerTimes layers(int longest, @Nullable ExpertTraffic traffic) {
        int limit = (longest / LayerTimes.KV_STEP + 2) * LayerTimes.KV_STEP;
        Sharding spread = shared.map(SharedExperts::sharding).orElse(sharding());
        return new LayerTimes(model, hardware, engine, spread, limit, traffic);
    }

    private OperatorTimes withContext(OperatorTimes operators) {
        return scheduler.contextSharding().ranks() == 1
                ? operators
                : new ContextTimes(
                        operators, model, hardware, engine, cluster.tensorParallelSize(), scheduler.contextSharding());
    }

    /**
     * Returns true if engine overheads are added to operator times. Bundles with host times already contain them, and Vidur has
     * none.
     *
     * @param host whether the bundle's host times are added
     */
    boolean addsEngine(boolean host) {
        return !host && compat != CompatMode.VIDUR && engine.graphs().execution() != StepCard.Execution.NONE;
    }

    /** Returns the step-time model. */
    StepModel step() {
        return step(new LayerTimes(model, hardware, engine, sharding()));
    }

    private StepModel step(LayerTimes layers) {
        return new StepModel(model, hardware.hostClass(), engine, sharding(), layers);
    }

    /** Returns the sharding of layers over the devices of one engine with its own host and collectives. */
    Sharding sharding() {
        return shared.filter(SharedExperts::isOneEngine)
                .map(SharedExperts::sharding)
                .orElseGet(() ->
                        ExpertSharing.of(scheduler, model, cluster.tensorParallelSize(), cluster.numPipelineStages()));
    }

    /** Returns the number of devices. */
    public int devices() {
        return cluster.tensorParallelSize() * cluster.numPipelineStages();
    }

    /**
     * Returns the capacity of the KV cache in tokens; with windowed layers in tokens of longest sequences.
     *
     * @throws StageException if not even one sequence fits
     */
    public long kvTokens() {
        ServingSpec spec = spec();
        MemoryPlan plan = MemoryPlan.of(spec);
        return spec.scheduler() instanceof SchedulerSpec.VllmV1 vllm
                        && !vllm.layers().isEmpty()
                ? plan.numBlocks() * spec.maxTokens() / plan.blocksPerSequence()
                : plan.numBlocks() * spec.scheduler().limits().blockSize();
    }

    /**
     * Returns the mean number of concurrent requests of {@code context} tokens in the KV cache of an engine. With attention
     * windows, only the tokens of one step exceed the windows, so more requests fit than {@link #kvTokens} suggests.
     */
    public double concurrency(double context) {
        if (!(spec().scheduler() instanceof SchedulerSpec.VllmV1 vllm)
                || vllm.layers().isEmpty()) {
            return kvTokens() / context;
        }
        MemoryPlan.Demand demand = MemoryPlan.demand(spec((int) Math.ceil(context)));
        return demand.sequences(MemoryPlan.of(spec()).numBlocks());
    }

    /** Returns the approximate memory for simulating the caches of {@code replicas} replicas. */
    public double simulatedBytes(int replicas) {
        ServingSpec spec = replicated(replicas, 0).spec();
        return MemoryPlan.of(spec).simulatedBytes(spec);
    }

    /** Returns the KV-cache bytes per token over all devices, with duplicates. */
    public double tokenBytes() {
        return spec().heldKvBytesPerToken();
    }

    /** Returns the bytes of the weights over all devices. */
    public double weightBytes() {
        return (double) spec().weightBytesPerDevice() * devices();
    }

    /** Returns the engine's share of the device memory, as its own key defines it. */
    public double memoryShare() {
        return spec().scheduler().memory().map(SchedulerSpec.Memory::share).orElse(1 - cluster.memoryMarginFraction());
    }

    /** Returns the number of LoRA slots of a device. */
    public int adapterSlots() {
        return scheduler instanceof SchedulerSettings.VllmV1 vllm && vllm.lora().enableLora()
                ? vllm.lora().maxLoras()
                : 0;
    }
}
