package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.ClusterSettings;
import dev.stagesim.serving.ComputedGrid;
import dev.stagesim.serving.MeasuredLoad;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.ServingConditions;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.config.PredictorSettings;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.serving.evidence.EvidenceQuery;
import dev.stagesim.serving.evidence.PublishedErrors;
import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.sim.kernels.ContextSharding;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.metrics.Utilization;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.spec.Feasibility;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.stage.Effort;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.OracleContext;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Simulates a serving workload, event by event, with operator times predicted from a profiling bundle. */
final class VidurSimStage implements Stage<VidurSimSettings> {
    static final String WORKLOAD = "workload";
    static final String PROFILING = "profiling";
    private static final int DEFAULT_REQUESTS = 1000;

    /** Time to simulate and count a token, and to write its row and read it for the digest. */
    private static final double SECONDS_PER_TOKEN = 6e-7;

    private static final double SECONDS_PER_ROW = 2.4e-6;

    private static final double TOKEN_ROW_BYTES = 31;
    private static final double BATCH_ROW_BYTES = 53;
    private static final double REQUEST_ROW_BYTES = 293;

    /** Tables of operator times and the writers' buffers. */
    private static final long BASE_BYTES = 96L << 20;

    /** State, lengths, times and metrics of a request. A queued request takes about 1,100 more. */
    private static final long BYTES_PER_REQUEST = 100;

    @Override
    public StageSpec<VidurSimSettings> spec() {
        return new StageSpec<>(
                "vidur_sim",
                "Simulate LLM serving event by event with predicted operator times.",
                VidurSimSettings.class,
                () -> Stream.concat(
                                Stream.of(Tables.REQUEST_METRICS, Tables.TOKEN_METRICS, Tables.BATCH_METRICS),
                                SimulationTables.all().stream())
                        .toList(),
                2,
                false);
    }

    @Override
    public List<Upstream> upstreams(VidurSimSettings settings) {
        Optional<Path> workload = settings.workload().dir();
        Upstream requests = new Upstream(WORKLOAD, "workload", ServingInput.SOURCES, "workload.dir", workload);
        if (!settings.replica().hasBundle()) {
            return List.of(requests);
        }
        return List.of(
                requests,
                new Upstream(
                                PROFILING,
                                "vidur_profile",
                                List.of("vidur_profile", "calibrate"),
                                "profiling.root",
                                settings.times().profiling().root())
                        .with(grid(settings).keys()));
    }

    private static ComputedGrid grid(VidurSimSettings settings) {
        return new ComputedGrid(
                settings.times().profile(),
                settings.replica().predictor(),
                settings.scheduler(),
                settings.hardware(),
                settings.model(),
                settings.cluster(),
                longest(settings));
    }

    /** Returns the maximum prompt plus output tokens of the workload as far as it is known before the run. */
    private static Optional<Long> longest(VidurSimSettings settings) {
        if (!(settings.workload() instanceof ServingWorkload serving)) {
            return Optional.empty();
        }
        if (serving.dir().isEmpty()) {
            return serving.longest();
        }
        try {
            return Json.readDocument(serving.dir().get(), WorkloadDocument.class)
                    .map(WorkloadDocument::longestTokens);
        } catch (IOException | StageException unreadable) {
            return Optional.empty(); // the run reports problems of the directory
        }
    }

    /** The section profile determines whether times are computed. */
    @Override
    public List<String> deciding(VidurSimSettings settings) {
        return settings.replica().isComputed() ? List.of("profile") : List.of();
    }

    @Override
    public List<Path> reads(VidurSimSettings settings, Path home) {
        List<Path> files = new ArrayList<>();
        if (settings.times().predictor() instanceof PredictorSettings.Tables tables) {
            files.add(tables.dir());
        }
        if (settings.compat() == CompatMode.NONE) {
            files.addAll(PublishedErrors.files(home));
        }
        return files;
    }

    @Override
    public void check(VidurSimSettings settings, Path home) {
        List<Problem> problems = new ArrayList<>(UnusedOptions.problems(settings));
        ReplicaModel replica = settings.replica();
        problems.addAll(replica.problems());
        if (settings.times().profiling().root().isEmpty() && replica.hasBundle()) {
            grid(settings).problem().ifPresent(problems::add);
        }
        StageException.refuse(problems);
    }

    @Override
    public void run(VidurSimSettings settings, StageContext context) throws IOException {
        check(settings, context.home());
        ServingInput input = input(settings, context);
        long tokens = input.trace().outputTokens();
        OutputDetail detail = OutputDetail.of(settings, tokens);
        detail.notice().ifPresent(context::notice);
        ClusterSettings cluster = settings.cluster();
        if (cluster.replicas() * settings.scheduler().dataParallelSize() == 1
                && cluster.globalScheduler() != GlobalPolicy.ROUND_ROBIN) {
            context.warn(
                    "cluster.global_scheduler has no effect: with cluster.replicas=1 every request goes to the same"
                            + " replica");
        }
        ReplicaModel replica = settings.replica();
        Path bundle = replica.hasBundle() ? context.input(PROFILING).dir() : context.home();
        boolean host = replica.addsHost(bundle);
        ServingSpec spec = replica.spec(input.longest(), host, bundle);
        if (spec.cluster().lockStep() > 1 && settings.simulation().metrics().operations()) {
            context.warn("operation_metrics.csv excludes shared experts, their exchange and the wait for the slowest "
                    + "engine; step_parts.csv has them");
        }
        MemoryPlan plan = MemoryPlan.of(spec);
        context.expect(expected(detail, input, tokens, plan.simulatedBytes(spec)));
        refuseInfeasible(spec, plan, input);
        Feasibility.priorities(spec.scheduler(), input.trace()).ifPresent(context::warn);
        List<String> extrapolated = new ArrayList<>();
        OperatorTimes times =
                replica.times(input.longest(), host, bundle, context::warn, extrapolated::add, context.cache());
        extrapolated.forEach(what -> context.warn("extrapolated: " + what));
        Path requests = context.input(WORKLOAD).dir();
        Optional<WorkloadDocument> workload = Json.readDocument(requests, WorkloadDocument.class);
        RunConditions conditions = context.conditions(new ServingConditions(replica, spec, workload)
                        .of(input.trace(), MeasuredLoad.arrivals(requests, workload), extrapolated))
                .evidence(EvidenceQuery.of(PublishedErrors.read(context.home()), context.choice("engine"), replica));
        ServingOutcome outcome = new SimRun(settings, detail, spec, plan, input, conditions, context).simulate(times);
        if (outcome.engine().isEmpty() && !input.trace().hasUniqueTokens()) {
            context.warn("prompts share tokens, but this scheduler has no prefix cache and computes them again;"
                    + " choose engine=vllm_v1, sglang or trtllm");
        }
        if (outcome.ending() == ServingOutcome.Ending.TIME_LIMIT) {
            int left = input.trace().size() - outcome.completed();
            context.warn(left + " requests were incomplete at simulation.time_limit; they are marked unfinished");
        }
    }

    private static ServingInput input(VidurSimSettings settings, StageContext context) throws IOException {
        Path workload = context.input(WORKLOAD).dir();
        ServingInput input = resumed(settings, ServingInput.orMean(workload, context::warn));
        if (input.trace().size() == 0) {
            throw StageException.input(Problem.artifact(workload.toString(), "the workload has no requests"));
        }
        if (settings.compat() != CompatMode.VIDUR) {
            boolean isDrawn = ServingInput.isDrawn(settings.workload(), context.input(WORKLOAD));
            input.loadNotes(settings.workload(), settings.arrival(), isDrawn, context::isSet)
                    .forEach(context::notice);
            input.requireContext(settings.model());
            settings.replica().notes().forEach(context::notice);
        }
        return input;
    }

    /** Returns the estimated cost. Each output token is at most one row and one batch. */
    private static Estimate expected(OutputDetail detail, ServingInput input, double tokens, double simulatedBytes) {
        double rows = (detail.tokens() ? TOKEN_ROW_BYTES : 0) + (detail.batches() ? BATCH_ROW_BYTES : 0);
        double requests = input.trace().size();
        return new Estimate(
                tokens,
                "tokens",
                tokens * (SECONDS_PER_TOKEN + (rows > 0 ? SECONDS_PER_ROW : 0)),
                BASE_BYTES + requests * BYTES_PER_REQUEST + simulatedBytes,
                tokens * rows + requests * REQUEST_ROW_BYTES);
    }

    /** Returns the batches and requests that count in metrics. */
    static BatchWindow window(VidurSimSettings settings, ServingInput input) {
        SimulationSettings.Metrics metrics = settings.simulation().metrics();
        return new BatchWindow(
                metrics.minBatchIndex().orElse(0L),
                metrics.maxBatchIndex().orElse(Long.MAX_VALUE),
                input.trace().closedLoop().map(ClosedLoop::warmUpRequests).orElse(0));
    }

    /** Returns the requests, linked as turns of sessions if the settings enable it. */
    static ServingInput resumed(VidurSimSettings settings, ServingInput read) {
        if (!settings.simulation().resumableRequests()) {
            return read;
        }
        ServingInput input = read.resumed();
        if (!input.trace().hasSessions()) {
            throw StageException.input(Problem.of(
                            "workload error",
                            "simulation.resumable_requests",
                            "has no effect: no prompt begins with the prompt and output of an earlier request")
                    .hint("use workload.sharing.kind=sessions, or omit it"));
        }
        return input;
    }

    static void refuseInfeasible(ServingSpec spec, MemoryPlan plan, ServingInput input) {
        List<Problem> problems = spec.quirks() ? List.of() : Feasibility.problems(spec, plan, input.trace());
        StageException.refuse(problems);
    }

    @Override
    public Effort effort(VidurSimSettings settings) {
        int requests = settings.workload() instanceof ServingWorkload serving
                ? serving.numRequests().orElse(DEFAULT_REQUESTS)
                : DEFAULT_REQUESTS;
        return new Effort(requests, BASE_BYTES + (long) requests * BYTES_PER_REQUEST);
    }

    @Override
    public Optional<Oracle<VidurSimSettings>> oracle() {
        return Optional.of(new ServingOracle());
    }

    /** Returns the metrics of a simulation without artifacts. Requests are in memory, and candidates share operator times. */
    private static final class ServingOracle implements Oracle<VidurSimSettings> {
        private static final double SECONDS_PER_HOUR = 3600;
        private static final double MILLION = 1e6;
        private static final double W_PER_KW = 1e3;

        /** Cache key of operator times. */
        private record TimesKey(
                String bundle,
                int longest,
                ModelCard model,
                HardwareCard hardware,
                Parallelism parallelism,
                boolean singleTokens,
                int blockSize,
                StepCard engine,
                PredictorSettings predictor,
                CompatMode compat,
                Optional<Boolean> host) {}

        private record Parallelism(int tensor, int stages, int data, boolean expert, ContextSharding context) {}

        /** Operator times, and whether they include host times. */
        private record Times(OperatorTimes times, boolean host) {}

        @Override
        public SortedMap<String, Double> known(VidurSimSettings settings) {
            long devices = settings.devices();
            SortedMap<String, Double> known = new TreeMap<>();
            known.put("devices", (double) devices);
            settings.hardware().costs().priceUsdHrTyp().ifPresent(price -> known.put("usd_per_hour", price * devices));
            settings.boardWatts().ifPresent(watts -> known.put("power_kw", watts / W_PER_KW));
            return known;
        }

        @Override
        public List<String> notes(VidurSimSettings settings, OracleContext context) throws IOException {
            if (settings.compat() == CompatMode.VIDUR) {
                return List.of();
            }
            List<String> notes =
                    new ArrayList<>(ServingInput.loadNotes(context, WORKLOAD, settings.workload(), settings.arrival()));
            settings.replica().notes().forEach(notes::add);
            EvidenceQuery.of(PublishedErrors.read(context.home()), context.choice("engine"), settings.replica())
                    .ifPresent(notes::add);
            return notes;
        }

        @Override
        public SortedMap<String, Double> figures(VidurSimSettings settings, OracleContext context) throws IOException {
            ServingInput input = resumed(settings, ServingInput.of(context, VidurSimStage.WORKLOAD));
            if (input.trace().size() == 0) {
                throw StageException.input(Problem.artifact("workload", "the workload has no requests"));
            }
            if (settings.compat() != CompatMode.VIDUR) {
                input.requireContext(settings.model());
            }
            ReplicaModel replica = settings.replica();
            RunInput bundle = replica.hasBundle()
                    ? context.input(VidurSimStage.PROFILING)
                    : new RunInput(context.home(), "", "", "");
            Times times = times(settings, input.longest(), bundle, context);
            ServingSpec spec = spec(replica, input.longest(), times.host(), bundle, context);
            MemoryPlan plan = MemoryPlan.of(spec);
            VidurSimStage.refuseInfeasible(spec, plan, input);
            BatchWindow window = window(settings, input);
            Utilization utilization = new Utilization(spec, window);
            List<ServingRecorder> recorders = new ArrayList<>();
            if (!window.isAll()) {
                recorders.add(window);
            }
            recorders.add(utilization);
            ServingOutcome outcome =
                    ServingSimulator.run(spec, input.trace(), times.times(), recorders.toArray(new ServingRecorder[0]));
            outcome.problem().ifPresent(problem -> {
                throw StageException.input(problem);
            });
            ServingMetrics figures = new ServingMetrics(
                    outcome,
                    new RequestTimes(input, outcome.states()),
                    utilization,
                    spec.cluster().replicas(),
                    window);
            return all(settings, figures);
        }

        private SortedMap<String, Double> all(VidurSimSettings settings, ServingMetrics figures) {
            SortedMap<String, Double> all = new TreeMap<>(known(settings));
            all.putAll(figures.headlines());
            all.putAll(figures.more());
            Double tokens = all.get("throughput_tokens_per_s");
            Double price = all.get("usd_per_hour");
            settings.boardWatts().ifPresent(watts -> figures.joulesPerToken(watts)
                    .ifPresent(joules -> all.put("joules_per_output_token", joules)));
            if (tokens != null && price != null && tokens > 0) {
                all.put("usd_per_mtok", price / SECONDS_PER_HOUR / tokens * MILLION);
            }
            all.values().removeIf(value -> !Double.isFinite(value));
            return all;
        }

        /** Cache key of a specification that reads the bundle. */
        private record SpecKey(String bundle, ReplicaModel replica, int longest) {}

        private static ServingSpec spec(
                ReplicaModel replica, int longest, boolean host, RunInput bundle, OracleContext context)
                throws IOException {
            return host
                    ? context.shared(
                            new SpecKey(bundle.sha256(), replica, longest),
                            () -> replica.spec(longest, true, bundle.dir()))
                    : replica.spec(longest, false, bundle.dir());
        }

        private static Times times(VidurSimSettings settings, int longest, RunInput bundle, OracleContext context)
                throws IOException {
            ClusterSettings cluster = settings.cluster();
            SchedulerSettings scheduler = settings.scheduler();
            TimesKey key = new TimesKey(
                    bundle.sha256(),
                    settings.replica().isComputed() ? longest : 0,
                    settings.model(),
                    settings.hardware(),
                    new Parallelism(
                            cluster.tensorParallelSize(),
                            cluster.numPipelineStages(),
                            scheduler.dataParallelSize(),
                            scheduler.enableExpertParallel(),
                            scheduler.contextSharding()),
                    scheduler instanceof SchedulerSpec.LightLlm,
                    scheduler.blockSize(),
                    settings.times().engine().step(),
                    settings.replica().predictor(),
                    settings.compat(),
                    settings.simulation().overheads().host());
            return context.shared(key, () -> {
                ReplicaModel replica = settings.replica();
                boolean host = replica.addsHost(bundle.dir());
                return new Times(replica.times(longest, host, bundle.dir(), warning -> {}, context.cache()), host);
            });
        }
    }
}
