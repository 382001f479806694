package dev.stagesim.serving;

import dev.stagesim.contract.CalibrationDocument;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.times.Packing;
import dev.stagesim.io.times.PredictorCache;
import dev.stagesim.io.times.ProfileDigest;
import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.StepCard;
import dev.stagesim.predict.LinearRegression;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.PredictionTable;
import dev.stagesim.predict.Predictor;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.predict.TrainedPredictor;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.sim.kernels.ContextTimes;
import dev.stagesim.sim.kernels.DraftedTimes;
import dev.stagesim.sim.kernels.EngineTimes;
import dev.stagesim.sim.kernels.ExpertTimes;
import dev.stagesim.sim.kernels.ExpertTraffic;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.kernels.StepModel;
import dev.stagesim.sim.serving.Accident;
import dev.stagesim.sim.serving.Footprint;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.TimingSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One replica of a model: the settings that decide how long its steps take, what fits its memory and what runs in a step. All
 * stages that simulate serving build their engines from this record.
 *
 * @param hardware the device
 * @param predictor the source of operator times; {@link PredictorSettings.Auto} is resolved before
 * @param engine the costs that the engine adds to operators
 * @param scheduler how batches are formed
 * @param cluster the number of devices and how they share the model
 * @param overheads the overheads added to operator times
 * @param maxTokens the longest sequence that memory is planned for; empty for the longest request
 * @param timeLimit the time when the simulation stops, in seconds; empty for never
 * @param compat the reference that is reproduced
 * @param shared how several replicas share their experts; empty if each replica has all experts, on its own devices
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
        Compat compat,
        Optional<SharedExperts> shared) {
    /**
     * Routed experts on the devices of several replicas.
     *
     * @param sharding how a layer is spread over the devices of all these replicas
     * @param held experts of a layer in the memory of one replica, with duplicates
     * @param isOneEngine whether one engine drives all these devices
     */
    public record SharedExperts(Sharding sharding, double held, boolean isOneEngine) {}

    private static final double MS_PER_S = 1e3;
    private static final double US_PER_MS = 1e3;

    /** Context of the single request that speed-ups of drafts are checked for, in tokens. */
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
                KeyRecord.usual(SimulationSettings.Overheads.class),
                Optional.of(longest),
                Optional.empty(),
                Compat.NONE,
                Optional.empty());
    }

    private ReplicaModel with(Map<String, ?> changes) {
        return KeyRecord.with(ReplicaModel.class, this, changes);
    }

    /** Returns the name of a scheduler in settings. */
    public static String name(SchedulerSettings scheduler) {
        return KeyRecord.kind(scheduler.getClass());
    }

    /** Returns this replica with experts that several replicas share. */
    public ReplicaModel sharing(Optional<SharedExperts> experts) {
        return with(Map.of("shared", experts));
    }

    /** Returns this replica with limits of its steps and memory, for sequences of at most {@code longest} tokens. */
    public ReplicaModel limited(EngineSchedulers.Limits limits, int longest) {
        return with(Map.of("scheduler", EngineSchedulers.with(scheduler, limits), "maxTokens", Optional.of(longest)));
    }

    /** Returns {@code replicas} of this behind one round robin, simulated for at most {@code seconds}; 0 for no limit. */
    public ReplicaModel replicated(int replicas, double seconds) {
        return with(Map.of(
                "cluster",
                KeyRecord.with(ClusterSettings.class, cluster, Map.of("replicas", replicas)),
                "timeLimit",
                seconds > 0 ? Optional.of(seconds) : Optional.empty()));
    }

    /** Returns this replica without the costs of an engine. */
    public ReplicaModel operatorsOnly() {
        return with(Map.of("engine", engine.none()));
    }

    /** Returns what neither a workload nor a bundle can change, such as shards that do not divide the model. */
    public List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        try {
            Specs.of(this, 1, false, 0, 0); // the specification checks itself
        } catch (StageException e) {
            problems.addAll(e.problems());
        }
        if (isComputed()) {
            if (overheads.host().orElse(false)) {
                problems.add(Problem.config(
                                "simulation.overheads.host",
                                "is true, and computed times have no overheads of a bundle")
                        .hint("set predictor=interpolation and profile.host, or leave it out"));
            }
            if (problems.isEmpty()) {
                problems.addAll(DeviceChecks.problems(this));
            }
        }
        return problems;
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
    public ServingSpec spec(int longest) {
        try {
            return spec(longest, false, Path.of(""));
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is read
        }
    }

    /**
     * Returns what the simulator needs besides requests and operator times.
     *
     * @param bundle the profiling bundle; not read without one
     */
    public ServingSpec spec(int longestRequest, boolean host, Path bundle) throws IOException {
        double requestMs = host && hasBundle() ? BundleTimes.requestMs(this, bundle) : 0;
        double tokenMs = 0;
        if (addsEngine(host)) {
            requestMs = engine.requestUs() / US_PER_MS;
            tokenMs = engine.promptTokenUs() / US_PER_MS;
        }
        return Specs.of(this, longestRequest, host, requestMs / MS_PER_S, tokenMs / MS_PER_S);
    }

    /** Returns how the memory of a device is divided, with computed times. */
    public MemoryPlan memory() {
        return MemoryPlan.of(spec());
    }

    /** Returns true if operator times are computed from the cards. */
    public boolean isComputed() {
        return predictor instanceof PredictorSettings.Computed;
    }

    /** Returns true if operator times come from a profiling bundle. */
    public boolean hasBundle() {
        return !isComputed() && !(predictor instanceof PredictorSettings.Tables);
    }

    /**
     * Returns true if steps take the host's time as well: as set, otherwise if there are such times, which Vidur does not use.
     *
     * @param bundle the profiling bundle; not read without one
     */
    public boolean addsHost(Path bundle) throws IOException {
        Optional<Boolean> told = overheads.host();
        if (told.isPresent() || compat == Compat.VIDUR || isComputed()) {
            return told.orElse(false);
        }
        return predictor instanceof PredictorSettings.Tables tables
                ? TimesFolder.file(tables.dir(), Operator.SCHEDULE).isPresent()
                : BundleTimes.hasHost(this, bundle);
    }

    /**
     * Returns the operator times: computed, or from the bundle or tables.
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
     * Like the overload without it.
     *
     * @param extrapolated receives how far times go beyond the sizes of the bundle
     */
    public OperatorTimes times(
            int longest,
            boolean host,
            Path bundle,
            Consumer<String> warn,
            Consumer<String> extrapolated,
            Optional<Path> cache)
            throws IOException {
        if (isComputed()) {
            return computedTimes(longest, warn);
        }
        OperatorTimes operators = predictor instanceof PredictorSettings.Tables tables
                ? GivenTables.read(this, tables, host)
                : BundleTimes.read(this, host, bundle, warn, extrapolated, cache);
        operators = withContext(operators);
        if (ExpertSharing.isSpread(scheduler, model)) {
            operators = new ExpertTimes(operators, new LayerTimes(model, hardware, engine, sharding()));
        }
        return drafted(operators, addsEngine(host), warn);
    }

    /** Returns times with the cost of drafts, if the scheduler makes any. */
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
        drafts.get().warning(drafted, step, WARNING_CONTEXT).ifPresent(warn);
        return drafted;
    }

    /** Returns warnings of the drafts that computed times contain. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>();
        if (Drafts.of(scheduler, model).isPresent()) {
            computedTimes(maxTokens.orElseThrow(), warnings::add);
        }
        return warnings;
    }

    /** Returns the computed operator times for the longest sequence. */
    public OperatorTimes times() {
        return computedTimes(maxTokens.orElseThrow(), warning -> {});
    }

    /**
     * Returns the computed operator times of a replica whose experts are chosen and placed as in {@code traffic}.
     *
     * @param isTogether whether replicas that share experts run every step together
     */
    public OperatorTimes times(ExpertTraffic traffic, boolean isTogether) {
        return drafted(
                operators(layers(maxTokens.orElseThrow(), traffic), isTogether), addsEngine(false), warning -> {});
    }

    /** Returns computed times of an engine's steps without drafts. */
    public EngineTimes engineTimes() {
        LayerTimes layers = layers(maxTokens.orElseThrow(), null);
        return new EngineTimes(operators(layers, ExpertSharing.isSpread(scheduler, model)), step(layers));
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
        int most = (longest / LayerTimes.KV_STEP + 2) * LayerTimes.KV_STEP;
        Sharding spread = shared.map(SharedExperts::sharding).orElse(sharding());
        return new LayerTimes(model, hardware, engine, spread, most, traffic);
    }

    private OperatorTimes withContext(OperatorTimes operators) {
        return scheduler.contextSharding().ranks() == 1
                ? operators
                : new ContextTimes(
                        operators, model, hardware, engine, cluster.tensorParallelSize(), scheduler.contextSharding());
    }

    /**
     * Returns true if the engine's costs are added to operators: if there is an engine, unless the bundle has the host's times,
     * which contain them, or Vidur's numbers are reproduced.
     *
     * @param host whether the bundle's host times are added
     */
    public boolean addsEngine(boolean host) {
        return !host && compat != Compat.VIDUR && engine.execution() != StepCard.Execution.NONE;
    }

    /** Returns the model of a step, from the operators of the step. */
    public StepModel step() {
        return step(new LayerTimes(model, hardware, engine, sharding()));
    }

    private StepModel step(LayerTimes layers) {
        return new StepModel(model, hardware.hostClass(), engine, sharding(), layers);
    }

    /** Returns how layers are spread over the devices of one engine, whose host work and collectives are its own. */
    private Sharding sharding() {
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
     * Returns the tokens that the cache holds; with windowed layers the tokens of its longest sequences.
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

    /** Returns about how much memory a simulation of the caches of {@code replicas} takes. */
    public double simulatedBytes(int replicas) {
        ServingSpec spec = replicated(replicas, 0).spec();
        return MemoryPlan.of(spec).simulatedBytes(spec);
    }

    /** Returns the bytes of one token in the cache, on all devices together, with duplicates. */
    public double tokenBytes() {
        return spec().heldKvBytesPerToken();
    }

    /** Returns the bytes of the weights, on all devices together. */
    public double weightBytes() {
        return (double) spec().weightBytesPerDevice() * devices();
    }

    /** Returns the share of a device's memory that the engine takes, as its own setting counts it. */
    public double memoryShare() {
        return spec().scheduler().memory().map(SchedulerSpec.Memory::share).orElse(1 - cluster.memoryMarginFraction());
    }

    /** Returns the LoRA adapters that fit a device. */
    public int adapterSlots() {
        return scheduler instanceof SchedulerSettings.VllmV1 vllm && vllm.enableLora() ? vllm.maxLoras() : 0;
    }

    /** Turns settings into the simulator's own terms. */
    private static final class Specs {
        /** Longest sequence that the reference assumes by default. */
        private static final int REFERENCE_MAX_TOKENS = 4096;

        /** Share that the reference adds to the attention of several requests. */
        private static final double REFERENCE_BATCHING = 0.1;

        private Specs() {}

        static ServingSpec of(
                ReplicaModel settings, int longestRequest, boolean host, double requestSeconds, double tokenSeconds) {
            boolean isVidur = settings.compat() == Compat.VIDUR;
            int longest = isVidur ? Math.max(REFERENCE_MAX_TOKENS, longestRequest) : longestRequest;
            return new ServingSpec(
                    ServingSpecs.shape(settings.model()),
                    isVidur ? Optional.empty() : Optional.of(footprint(settings)),
                    ServingSpecs.cluster(
                            settings.cluster(), settings.hardware(), settings.scheduler(), settings.model()),
                    ServingSpecs.scheduler(
                            settings.scheduler(),
                            settings.hardware(),
                            settings.model(),
                            settings.cluster(),
                            settings.maxTokens().orElse(longest)),
                    timing(settings.overheads(), host, isVidur).withArrival(requestSeconds, tokenSeconds),
                    settings.maxTokens().orElse(longest),
                    settings.timeLimit().orElse(0.0),
                    isVidur ? Accident.VIDUR : Accident.NONE);
        }

        private static Footprint footprint(ReplicaModel settings) {
            ModelCard model = settings.model();
            SchedulerSettings scheduler = settings.scheduler();
            Footprint target = settings.shared()
                    .map(experts -> ExpertSharing.footprint(model, experts.held()))
                    .orElseGet(() -> ExpertSharing.footprint(model, scheduler.dataParallelSize()));
            return Drafts.of(scheduler, model)
                    .map(drafts -> drafts.footprint(target))
                    .orElse(target);
        }

        private static TimingSpec timing(SimulationSettings.Overheads overheads, boolean host, boolean isVidur) {
            double batching = isVidur ? REFERENCE_BATCHING : 0;
            return new TimingSpec(
                    overheads.attentionDecodeBatchingFraction().orElse(batching),
                    overheads.attentionPrefillBatchingFraction().orElse(batching),
                    overheads.ncclCpuLaunchMs(),
                    overheads.ncclCpuSkewPerDeviceMs(),
                    overheads.sumPrefillChunks().orElse(!isVidur),
                    host,
                    0,
                    0);
        }
    }

    /** Checks that a model divides over devices that have the rates and links it needs. */
    private static final class DeviceChecks {
        private static final String TENSOR = "cluster.tensor_parallel_size";

        private DeviceChecks() {}

        static List<Problem> problems(ReplicaModel replica) {
            List<Problem> problems = new ArrayList<>();
            ModelCard model = replica.model();
            HardwareCard hardware = replica.hardware();
            int tensor = replica.cluster().tensorParallelSize();
            Links links = new Links(hardware);
            if (hardware.bf16OrFp16Tflops().isEmpty()) {
                problems.add(Problem.config("hardware", "has no 16-bit rate: " + hardware.name())
                        .hint("choose other hardware, or a measured profile"));
            } else if (!LayerTimes.splits(model, tensor)) {
                problems.add(Problem.config(
                                TENSOR,
                                "is " + tensor + ": tensor parallelism does not divide the heads and the feed-forward"
                                        + " width of " + model.name())
                        .hint("use a divisor of both"));
            } else if (tensor > 1 && !links.canLink(tensor)) {
                problems.add(Problem.config(
                                TENSOR,
                                "is " + tensor + ", and " + hardware.name() + " has no link between so many devices; a"
                                        + " node has " + links.devicesPerNode())
                        .hint("lower it, or set hardware.nic_gbps_per_accel_typ"));
            } else if (replica.devices() > links.devicesPerNode() && !links.hasNetwork()) {
                problems.add(Problem.config(
                                "cluster.num_pipeline_stages",
                                "needs " + replica.devices() + " devices, and " + hardware.name()
                                        + " has no network between nodes of " + links.devicesPerNode())
                        .hint("lower it, or set hardware.nic_gbps_per_accel_typ"));
            }
            return problems;
        }
    }

    /** Operator times of a folder of tables, which must have every operator that the steps of a run ask for. */
    private static final class GivenTables {
        private static final Set<Operator> HOST = EnumSet.range(Operator.SCHEDULE, Operator.RAY_COMM_TIME);

        private GivenTables() {}

        /** Reads the tables; all that are missing are reported at once. */
        static OperatorTimes read(ReplicaModel settings, PredictorSettings.Tables predictor, boolean host)
                throws IOException {
            List<PredictionTable> tables = TimesFolder.read(predictor.dir());
            Set<Operator> missing = needed(settings, host);
            tables.forEach(table -> missing.remove(table.operator()));
            if (!missing.isEmpty()) {
                throw StageException.input(missing.stream()
                        .map(operator -> Problem.artifact(
                                        predictor.dir().toString(),
                                        "has no " + operator.column() + ".csv, which " + why(operator))
                                .hint("add the table, or change what needs it"))
                        .toList());
            }
            return TableTimes.of(predictor.kvGranularity(), tables);
        }

        private static Set<Operator> needed(ReplicaModel settings, boolean host) {
            ClusterSettings cluster = settings.cluster();
            Set<Operator> needed = EnumSet.allOf(Operator.class);
            if (cluster.tensorParallelSize() == 1) {
                needed.remove(Operator.ALL_REDUCE);
            }
            if (cluster.numPipelineStages() == 1) {
                needed.remove(Operator.SEND_RECV);
            }
            if (!settings.model().postAttentionNorm()) {
                needed.remove(Operator.POST_ATTENTION_LAYERNORM);
            }
            if (!host) {
                needed.removeAll(HOST);
            }
            return needed;
        }

        private static String why(Operator operator) {
            return switch (operator) {
                case ALL_REDUCE -> "cluster.tensor_parallel_size above 1 needs";
                case SEND_RECV -> "cluster.num_pipeline_stages above 1 needs";
                case POST_ATTENTION_LAYERNORM -> "model.post_attention_norm=true needs";
                default -> HOST.contains(operator) ? "host times in the steps need" : "every step needs";
            };
        }
    }

    /** Operator times from the profiling bundle, for the model, device, parallelism and block size of the settings. */
    private static final class BundleTimes {
        /** Block size that profilers measure attention with unless told otherwise. */
        private static final int USUAL_BLOCK_SIZE = 16;

        /** Raised whenever training gives other times for the same rows and settings. */
        private static final int TRAINING_VERSION = 1;

        private BundleTimes() {}

        /** Whether the bundle has host overheads for these settings. */
        static boolean hasHost(ReplicaModel settings, Path root) throws IOException {
            return BundleReader.hasHostOverheads(root, request(settings));
        }

        /** Time from a request's arrival until it can be scheduled. */
        static double requestMs(ReplicaModel settings, Path root) throws IOException {
            return BundleReader.requestMs(root, request(settings));
        }

        private static BundleRequest request(ReplicaModel settings) {
            ClusterSettings cluster = settings.cluster();
            return BundleRequest.of(settings.model(), settings.hardware())
                    .onDevices(cluster.tensorParallelSize(), cluster.numPipelineStages());
        }

        private static boolean means(PredictorSettings predictor) {
            return predictor instanceof PredictorSettings.Interpolation points
                    && points.statistic() == PredictorSettings.Statistic.MEAN;
        }

        /** The times of a calibrated bundle hold for the scheduler that the calibration simulated. */
        private static void warnOfOtherScheduler(ReplicaModel settings, Path root, Consumer<String> warn)
                throws IOException {
            Path calibration =
                    root.resolve(JsonArtifact.of(CalibrationDocument.class).name());
            if (!Files.exists(calibration)) {
                return;
            }
            String now = name(settings.scheduler());
            Json.read(calibration)
                    .find("scheduler")
                    .map(JsonAt::asString)
                    .filter(then -> !then.equals(now))
                    .ifPresent(
                            then -> warn.accept("the bundle " + root.getFileName() + " was calibrated with scheduler="
                                    + then + ", but this run has scheduler=" + now + ": its host times may not apply"));
        }

        static OperatorTimes read(
                ReplicaModel settings,
                boolean host,
                Path root,
                Consumer<String> warn,
                Consumer<String> extrapolated,
                Optional<Path> cache)
                throws IOException {
            warnOfOtherScheduler(settings, root, warn);
            BundleRequest request = request(settings)
                    .withBlockSize(blockSize(settings.scheduler(), warn))
                    .withHostOverheads(host)
                    .withMeans(means(settings.predictor()))
                    .withVidurRules(settings.compat() == Compat.VIDUR);
            Bundle bundle = BundleReader.read(root, request);
            bundle.warnings().forEach(warn);
            boolean asVidur = settings.compat() == Compat.VIDUR;
            Predictor predictor = Predictors.of(settings.predictor(), asVidur);
            Profile profile = bundle.profile();
            predictor.extrapolated(profile).forEach(extrapolated);
            if (predictor instanceof TrainedPredictor trained) {
                List<PredictionTable> tables =
                        kept(Packing.TABLES, () -> trained.train(profile), profile, settings, cache);
                return TableTimes.of(trained.kvGranularity(), tables);
            }
            if (predictor instanceof LinearRegression linear) {
                return linear.fit(profile, kept(Packing.FORMS, () -> linear.choose(profile), profile, settings, cache));
            }
            return predictor.fit(profile);
        }

        /** Training takes seconds, so what was trained is kept for runs that learn the same from the same rows. */
        private static <T> T kept(
                Packing<T> packing, Supplier<T> training, Profile profile, ReplicaModel settings, Optional<Path> dir)
                throws IOException {
            Optional<PredictorCache<T>> cache =
                    dir.map(place -> new PredictorCache<>(place.resolve("predictors"), packing));
            Map<String, String> origin = Map.of(
                    "version", Integer.toString(TRAINING_VERSION),
                    "settings", settings.predictor().toString(),
                    "rows", ProfileDigest.of(profile));
            Optional<T> kept = cache.flatMap(c -> c.find(origin));
            if (kept.isPresent()) {
                return kept.get();
            }
            T trained = training.get();
            if (cache.isPresent()) {
                cache.get().store(origin, trained);
            }
            return trained;
        }

        /** LightLLM and SGLang count memory in single tokens, which says nothing about the kernel that was measured. */
        private static int blockSize(SchedulerSettings scheduler, Consumer<String> warn) {
            if (scheduler instanceof SchedulerSettings.Sglang) {
                return USUAL_BLOCK_SIZE;
            }
            if (scheduler instanceof SchedulerSpec.LightLlm) {
                warn.accept("attention times are those measured with KV blocks of " + USUAL_BLOCK_SIZE
                        + " tokens; the lightllm scheduler itself counts single tokens");
                return USUAL_BLOCK_SIZE;
            }
            return scheduler.blockSize();
        }
    }
}
