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
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.sim.kernels.StepModel;
import dev.stagesim.sim.serving.Accident;
import dev.stagesim.sim.serving.Footprint;
import dev.stagesim.sim.serving.SchedulerSettings;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.TimingSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A model on devices under a scheduler: the settings that decide how long its steps take and what runs in them.
 *
 * @param hardware the device
 * @param predictor how operator times follow from the bundle
 * @param engine what the engine adds to operators
 * @param scheduler how batches are formed
 * @param cluster how many devices there are and how they share the model
 * @param overheads what is added to operator times
 * @param maxTokens longest sequence that memory is planned for; empty for the longest request
 * @param timeLimit when the simulation stops, in seconds; empty for never
 * @param compat whose numbers are reproduced
 */
public record Deployment(
        ModelCard model,
        HardwareCard hardware,
        PredictorSettings predictor,
        StepCard engine,
        SchedulerSettings scheduler,
        ClusterSettings cluster,
        SimulationSettings.Overheads overheads,
        Optional<Integer> maxTokens,
        Optional<Double> timeLimit,
        Compat compat) {
    private static final double MS_PER_S = 1e3;
    private static final double US_PER_MS = 1e3;

    /** Context of the single request that speed-ups of drafts are checked for, in tokens. */
    private static final int WARNING_CONTEXT = 1024;

    /** What no workload and no bundle can make up for, such as shards that do not divide the model. */
    public List<Problem> problems() {
        try {
            Specs.of(this, 1, false, 0, 0); // the specification checks itself
            return List.of();
        } catch (StageException e) {
            return e.problems();
        }
    }

    /**
     * What the simulator needs to know besides requests and times.
     *
     * @param bundle the profiling bundle; not read when the times come from tables
     */
    public ServingSpec spec(int longestRequest, boolean host, Path bundle) throws IOException {
        double requestMs = host && !hasTables() ? BundleTimes.requestMs(this, bundle) : 0;
        double tokenMs = 0;
        if (addsEngine(host)) {
            requestMs = engine.requestUs() / US_PER_MS;
            tokenMs = engine.promptTokenUs() / US_PER_MS;
        }
        return Specs.of(this, longestRequest, host, requestMs / MS_PER_S, tokenMs / MS_PER_S);
    }

    /** Name of a scheduler in settings. */
    public static String name(SchedulerSettings scheduler) {
        return KeyRecord.kind(scheduler.getClass());
    }

    /** Whether the times come from tables instead of a bundle. */
    public boolean hasTables() {
        return predictor instanceof PredictorSettings.Tables;
    }

    /**
     * Whether steps take the host's time as well: as told, else when there are times for it, which Vidur does not use.
     *
     * @param bundle the profiling bundle; not read when the times come from tables
     */
    public boolean addsHost(Path bundle) throws IOException {
        Optional<Boolean> told = overheads.host();
        if (told.isPresent() || compat == Compat.VIDUR) {
            return told.orElse(false);
        }
        return predictor instanceof PredictorSettings.Tables tables
                ? TimesFolder.file(tables.dir(), Operator.SCHEDULE).isPresent()
                : BundleTimes.hasHost(this, bundle);
    }

    /**
     * Operator times of the bundle, or of tables.
     *
     * @param bundle the profiling bundle; not read when the times come from tables
     * @param warn hears what a person should know
     * @param cache where what was trained is kept
     */
    public OperatorTimes times(boolean host, Path bundle, Consumer<String> warn, Optional<Path> cache)
            throws IOException {
        return times(host, bundle, warn, beyond -> warn.accept("extrapolated: " + beyond), cache);
    }

    /**
     * Like the overload without it.
     *
     * @param extrapolated receives how far times go beyond the sizes of the bundle
     */
    public OperatorTimes times(
            boolean host, Path bundle, Consumer<String> warn, Consumer<String> extrapolated, Optional<Path> cache)
            throws IOException {
        OperatorTimes operators = predictor instanceof PredictorSettings.Tables tables
                ? GivenTables.read(this, tables, host)
                : BundleTimes.read(this, host, bundle, warn, extrapolated, cache);
        if (scheduler.contextSharding().ranks() > 1) {
            operators = new ContextTimes(
                    operators, model, hardware, engine, cluster.tensorParallelSize(), scheduler.contextSharding());
        }
        if (ExpertSharing.isSpread(scheduler, model)) {
            operators = new ExpertTimes(operators, new LayerTimes(model, hardware, engine, sharding()));
        }
        OperatorTimes times = addsEngine(host) ? new EngineTimes(operators, step()) : operators;
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

    /**
     * Whether the engine's terms are added to operators: where there is an engine, unless the bundle has the host's times, which hold them, or Vidur's numbers are asked for.
     *
     * @param host whether the bundle's host times are added
     */
    public boolean addsEngine(boolean host) {
        return !host && compat != Compat.VIDUR && engine.execution() != StepCard.Execution.NONE;
    }

    /** What the engine makes of the operators of a step. */
    public StepModel step() {
        Sharding sharding = sharding();
        return new StepModel(
                model, hardware.hostClass(), engine, sharding, new LayerTimes(model, hardware, engine, sharding));
    }

    private Sharding sharding() {
        return ExpertSharing.of(scheduler, model, cluster.tensorParallelSize(), cluster.numPipelineStages());
    }

    /** The same without an engine. */
    public Deployment operatorsOnly() {
        return new Deployment(
                model, hardware, predictor, engine.none(), scheduler, cluster, overheads, maxTokens, timeLimit, compat);
    }

    /** Turns settings into the simulator's own terms. */
    private static final class Specs {
        /** What the reference takes as longest sequence unless told otherwise. */
        private static final int REFERENCE_MAX_TOKENS = 4096;

        private Specs() {}

        static ServingSpec of(
                Deployment settings, int longestRequest, boolean host, double requestSeconds, double tokenSeconds) {
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
                    timing(settings.overheads(), host).withArrival(requestSeconds, tokenSeconds),
                    settings.maxTokens().orElse(longest),
                    settings.timeLimit().orElse(0.0),
                    isVidur ? Accident.VIDUR : Accident.NONE);
        }

        private static Footprint footprint(Deployment settings) {
            Footprint target = ExpertSharing.footprint(
                    settings.model(), settings.scheduler().dataParallelSize());
            return Drafts.of(settings.scheduler(), settings.model())
                    .map(drafts -> drafts.footprint(target))
                    .orElse(target);
        }

        private static TimingSpec timing(SimulationSettings.Overheads overheads, boolean host) {
            return new TimingSpec(
                    overheads.attentionDecodeBatchingFraction(),
                    overheads.attentionPrefillBatchingFraction(),
                    overheads.ncclCpuLaunchMs(),
                    overheads.ncclCpuSkewPerDeviceMs(),
                    overheads.sumPrefillChunks(),
                    host,
                    0,
                    0);
        }
    }

    /** Operator times of a folder of tables, which must have every operator that the steps of a run ask for. */
    private static final class GivenTables {
        private static final Set<Operator> HOST = EnumSet.range(Operator.SCHEDULE, Operator.RAY_COMM_TIME);

        private GivenTables() {}

        /** Reads the tables; all that are missing are reported at once. */
        static OperatorTimes read(Deployment settings, PredictorSettings.Tables predictor, boolean host)
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

        private static Set<Operator> needed(Deployment settings, boolean host) {
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
        static boolean hasHost(Deployment settings, Path root) throws IOException {
            return BundleReader.hasHostOverheads(root, request(settings));
        }

        /** Time from a request's arrival until it can be scheduled. */
        static double requestMs(Deployment settings, Path root) throws IOException {
            return BundleReader.requestMs(root, request(settings));
        }

        private static BundleRequest request(Deployment settings) {
            ClusterSettings cluster = settings.cluster();
            return BundleRequest.of(settings.model(), settings.hardware())
                    .onDevices(cluster.tensorParallelSize(), cluster.numPipelineStages());
        }

        private static boolean means(PredictorSettings predictor) {
            return predictor instanceof PredictorSettings.Interpolation points
                    && points.statistic() == PredictorSettings.Statistic.MEAN;
        }

        static OperatorTimes read(
                Deployment settings,
                boolean host,
                Path root,
                Consumer<String> warn,
                Consumer<String> extrapolated,
                Optional<Path> cache)
                throws IOException {
            BundleRequest request = request(settings)
                    .withBlockSize(blockSize(settings.scheduler(), warn))
                    .withHostOverheads(host)
                    .withMeans(means(settings.predictor()))
                    .withVidurRules(settings.compat() == Compat.VIDUR);
            Bundle bundle = BundleReader.read(root, request);
            bundle.warnings().forEach(warn);
            warnOfOtherScheduler(settings, root, warn);
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

        /** The times of a calibrated bundle hold for the scheduler that the calibration simulated. */
        private static void warnOfOtherScheduler(Deployment settings, Path root, Consumer<String> warn)
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

        /** Training takes seconds, so what was trained is kept for runs that learn the same from the same rows. */
        private static <T> T kept(
                Packing<T> packing, Supplier<T> training, Profile profile, Deployment settings, Optional<Path> dir)
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
