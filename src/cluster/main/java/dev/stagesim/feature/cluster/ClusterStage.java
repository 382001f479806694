package dev.stagesim.feature.cluster;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.cluster.autoscaler.FailureSettings;
import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.Decisions;
import dev.stagesim.feature.cluster.engine.IndependentInstances;
import dev.stagesim.feature.cluster.engine.RoutingPolicyOverride;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.experts.ExpertPlan;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.feature.cluster.experts.RecordedLoad;
import dev.stagesim.feature.cluster.instance.ExpertGroup;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.instance.StepTotals;
import dev.stagesim.feature.cluster.report.BaselineComparison;
import dev.stagesim.feature.cluster.report.ClusterFigures;
import dev.stagesim.feature.cluster.report.ClusterReport;
import dev.stagesim.feature.cluster.report.ClusterTables;
import dev.stagesim.feature.cluster.report.ClusterWriter;
import dev.stagesim.feature.cluster.report.FailureReport;
import dev.stagesim.feature.cluster.report.OperationsReport;
import dev.stagesim.feature.cluster.report.Regret;
import dev.stagesim.feature.cluster.report.RegretReport;
import dev.stagesim.feature.cluster.transfer.KvNetwork;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.MeasuredLoad;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.ServingWorkload;
import dev.stagesim.serving.evidence.EvidenceQuery;
import dev.stagesim.serving.evidence.PublishedErrors;
import dev.stagesim.serving.evidence.ReplicaSource;
import dev.stagesim.sim.serving.metrics.ClosedLoopWarnings;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The stage {@code cluster_sim}: simulates pools of engines with routers. */
final class ClusterStage implements ReplicaSource<ClusterSimSettings> {
    private static final double SECONDS_PER_TOKEN = 2e-6;
    private static final double SECONDS_PER_HOP = 1e-6;

    /** Minimum heap and output bytes, measured with 10,000 and 100,000 requests. */
    private static final double BASE_BYTES = 20 << 20;

    private static final double BYTES_PER_REQUEST = 750;
    /** Heap bytes per request if instances are simulated independently. */
    private static final double BYTES_PER_INDEPENDENT_REQUEST = 400;

    private static final double PAGE_BYTES = 150_000;
    private static final double ROW_BYTES = 280;
    private static final String MTBF = "cluster.failures.mtbf_h";
    private static final String DEFAULT_CLUSTER = "round_robin";
    static final String WORKLOAD = "workload";

    @Override
    public StageSpec<ClusterSimSettings> spec() {
        return new StageSpec<>(
                "cluster_sim",
                "Simulate a cluster of serving engines with routers, prefill/decode disaggregation and KV"
                        + " transfers.",
                ClusterSimSettings.class,
                ClusterTables::all,
                3,
                false);
    }

    @Override
    public List<Upstream> upstreams(ClusterSimSettings settings) {
        return List.of(new Upstream(
                WORKLOAD,
                WORKLOAD,
                ServingInput.SOURCES,
                "workload.dir",
                settings.workload().dir()));
    }

    @Override
    public List<Path> reads(ClusterSimSettings settings, Path home) {
        // check reports missing files
        Stream<Path> loads = settings.cluster().pools().values().stream()
                .flatMap(pool -> pool.experts().map(ExpertSettings::load).stream())
                .flatMap(load -> load instanceof RecordedLoad recorded ? Stream.of(recorded.file()) : Stream.empty());
        Stream<Path> baseline =
                settings.baseline().map(ClusterStage::requests).filter(TableFile::exists).map(TableFile::find).stream();
        return Stream.of(baseline, loads, PublishedErrors.files(home).stream())
                .flatMap(files -> files)
                .toList();
    }

    @Override
    public List<NamedReplica> replicas(ClusterSimSettings settings, Path run) {
        return PoolPlans.of(settings, 1).stream()
                .map(pool ->
                        new NamedReplica("pool " + pool.name(), pool.shape().engine(), pool.replica()))
                .toList();
    }

    private static Path requests(Path run) {
        return run.resolve(ClusterTables.REQUESTS.name());
    }

    @Override
    public void check(ClusterSimSettings settings, Path home) {
        List<Problem> problems = new ArrayList<>(PoolPlans.problems(settings));
        if (!(settings.workload() instanceof ServingWorkload)) {
            problems.add(Problem.config("workload.kind", "must be serving: a cluster serves requests"));
        }
        settings.baseline()
                .filter(run -> !TableFile.exists(requests(run)))
                .ifPresent(run -> problems.add(Problem.config("baseline", run + " is not a run of cluster_sim")
                        .hint("list the available runs with stage runs list")));
        boolean usesBaseline = settings.regret()
                .filter(set -> set.alternatives() == Regret.Alternatives.BASELINE)
                .isPresent();
        if (usesBaseline && settings.baseline().isEmpty()) {
            problems.add(Problem.config("regret.alternatives", "baseline requires a baseline run")
                    .hint("set baseline=DIR, or use regret.alternatives=runner_up"));
        }
        StageException.refuse(problems);
    }

    @Override
    public void run(ClusterSimSettings settings, StageContext context) throws IOException {
        check(settings, context.home());
        ServingInput input = ServingInput.orMean(context.input(WORKLOAD).dir(), context::warn);
        boolean isDrawn = ServingInput.isDrawn(settings.workload(), context.input(WORKLOAD));
        input.loadNotes(settings.workload(), settings.arrival(), isDrawn, context::isSet)
                .forEach(context::notice);
        List<PoolPlan> pools = pools(settings, input);
        notes(pools, context.choice("cluster")).forEach(context::notice);
        presetFailures(settings, context::isSet).ifPresent(context::notice);
        context.expect(expected(settings.cluster(), pools, input.trace()));
        PoolPlans.warnings(settings).forEach(context::warn);
        pools.forEach(pool -> warnings(pool).forEach(context::warn));
        Optional<Decisions> decisions =
                settings.regret().map(set -> new Decisions(input.trace().size()));
        ClusterSim sim = sim(
                settings,
                pools,
                input.trace(),
                decisions.map(RoutingPolicyOverride.class::cast).orElse(RoutingPolicyOverride.NONE));
        sim.run();
        ClusterFigures figures = new ClusterFigures(sim, pools, input.trace(), settings.cluster());
        Optional<BaselineComparison> baseline = baseline(settings, input, figures, context);
        Map<String, Double> all = figures.all();
        figures.failures().ifPresent(failures -> all.put("failed_instances", (double) failures.failed()));
        warn(figures, isDrawn, context);
        Path requests = context.input(WORKLOAD).dir();
        Optional<WorkloadDocument> workload = Json.readDocument(requests, WorkloadDocument.class);
        RunConditions conditions = context.conditions(new ClusterConditions(
                                settings, pools, input.trace(), workload, MeasuredLoad.arrivals(requests, workload))
                        .all())
                .evidence(evidence(pools, PublishedErrors.read(context.home())));
        Json.writeDocument(context.out(), conditions);
        Report report = new ClusterReport(settings.model().name(), figures, conditions, baseline).report(all);
        baseline.ifPresent(other -> other.addTo(report));
        if (decisions.isPresent()) {
            Regret regret = new Regret(settings.regret().get(), settings.cluster(), figures, decisions.get(), baseline);
            new RegretReport(regret, input).write(context.out(), report, all);
        }
        new ClusterWriter(figures, input, context.out()).write(all);
        report.write(context.out());
        conditions.evidence().ifPresent(context::notice);
        context.notice(report.answer());
        headlines(context, all);
    }

    static Optional<String> evidence(List<PoolPlan> pools, PublishedErrors errors) {
        String known = pools.stream()
                .flatMap(pool ->
                        EvidenceQuery.of(errors, Optional.of(pool.shape().engine()), pool.replica()).stream())
                .distinct()
                .collect(Collectors.joining("; "));
        boolean isOne = pools.size() == 1 && pools.get(0).maxInstances() == 1;
        return Optional.of(isOne ? known : known + "; routing and transfers were not compared")
                .filter(text -> !known.isEmpty());
    }

    private static List<String> warnings(PoolPlan pool) {
        return pool.replica().warnings().stream()
                .map(warning -> "cluster.pools." + pool.name() + ": " + warning)
                .toList();
    }

    /** Returns a warning if sending tokens to experts and back takes most of the time of a pool's steps. */
    private static Optional<String> dominantExchange(ExpertGroup group, ClusterFigures figures) {
        int devices = group.pool.experts().map(ExpertPlan::devices).orElse(1);
        String keys = "cluster.pools." + group.pool.name() + ".experts.instances";
        return Optional.of(group.pool)
                .filter(pool -> devices > 1)
                .flatMap(pool -> StepTotals.exchange(group, figures.of(pool)))
                .flatMap(most -> ConditionText.dominantExchange(
                        most.share(), most.kind(), devices, group.pool.replica().hardware(), keys));
    }

    private static void warn(ClusterFigures figures, boolean isDrawn, StageContext context) {
        Stream.concat(
                        figures.failures().flatMap(FailureReport::tooShort).stream(),
                        new OperationsReport(figures).tooShort().stream())
                .forEach(finding -> context.warn(finding.word() + ". " + finding.advice()));
        warnings(figures, isDrawn).forEach(context::warn);
        SustainedLoad load = figures.sustained();
        load.tooShort(isDrawn)
                .filter(text -> figures.load() == load.verdict())
                .ifPresent(load.isMostlyDrained() ? context::warn : context::notice);
        figures.sim.experts().forEach(group -> dominantExchange(group, figures).ifPresent(context::warn));
    }

    /** Returns the rate of failures if the user sets none. */
    static Optional<String> presetFailures(ClusterSimSettings settings, Predicate<String> isSet) {
        return settings.cluster()
                .failures()
                .filter(failures -> failures instanceof FailureSettings.Random && !isSet.test(MTBF))
                .map(failures -> MTBF + "=" + Numbers.plain(((FailureSettings.Random) failures).mtbfH())
                        + " is assumed: set it to the mean time between failures of your instances, in hours");
    }

    /** Returns notes about the default cluster and about the replicas. */
    static List<String> notes(List<PoolPlan> pools, Optional<String> cluster) {
        Stream<String> shape = cluster.filter(DEFAULT_CLUSTER::equals).filter(name -> pools.size() == 1).stream()
                .map(name -> "cluster: " + Count.of(pools.get(0).replicas(), "instance")
                        + " behind a router (cluster=" + name + ", the default); replicas= sets their number, and"
                        + " cluster=pd_1_1 has one prefill and one decode instance");
        return Stream.concat(shape, pools.stream().map(PoolPlan::replica).flatMap(ReplicaModel::notes))
                .distinct()
                .toList();
    }

    /** Returns the pools for these requests, which must be possible. */
    static List<PoolPlan> pools(ClusterSimSettings settings, ServingInput input) {
        refuse(input.trace());
        input.requireContext(settings.model());
        labels(settings, input.trace());
        return PoolPlans.of(settings, input.longest());
    }

    static ClusterSim sim(
            ClusterSimSettings settings, List<PoolPlan> pools, RequestTrace trace, RoutingPolicyOverride override) {
        ClusterSim sim = ClusterSim.create(settings.cluster(), pools, trace, override);
        if (sim.sessions().isPresent() && !sim.sessions().get().isAny()) {
            throw StageException.input(Problem.config("cluster.sessions", "has no effect: the workload has no sessions")
                    .hint("set workload.sharing.kind=sessions"));
        }
        return sim;
    }

    @Override
    public Optional<Oracle<ClusterSimSettings>> oracle() {
        return Optional.of(new ClusterOracle());
    }

    private static Optional<BaselineComparison> baseline(
            ClusterSimSettings settings, ServingInput input, ClusterFigures figures, StageContext context)
            throws IOException {
        if (settings.baseline().isEmpty()) {
            return Optional.empty();
        }
        BaselineComparison baseline = new BaselineComparison(settings.baseline().get(), input, figures);
        baseline.write(context.out());
        return Optional.of(baseline);
    }

    /** Returns warnings about the metrics of a closed loop; empty for other loads. */
    static List<String> warnings(ClusterFigures figures, boolean isDrawn) {
        RequestTimeline timeline = figures.timeline;
        return figures.trace.closedLoop().stream()
                .flatMap(loop -> new ClosedLoopWarnings(
                                loop,
                                figures.trace,
                                i -> Double.isNaN(timeline.arrived[i]) ? Double.POSITIVE_INFINITY : timeline.arrived[i],
                                i -> timeline.isServed(i)
                                        ? 1e3 * (timeline.firstToken[i] - timeline.arrived[i])
                                        : Double.NaN,
                                isDrawn)
                        .all().stream())
                .toList();
    }

    private static void headlines(StageContext context, Map<String, Double> all) {
        all.forEach((name, value) -> {
            if (Double.isFinite(value)) {
                context.headline(name, value);
            }
        });
    }

    /**
     * Estimates an upper bound: one step per output token, and a KV transfer for each prompt if there is a prefill
     * pool.
     */
    private static Estimate expected(ServingClusterSettings cluster, List<PoolPlan> pools, RequestTrace trace) {
        double tokens = trace.outputTokens();
        double requests = trace.size();
        boolean areIndependent = IndependentInstances.isPossible(cluster, pools, trace, RoutingPolicyOverride.NONE);
        double memory = BASE_BYTES + requests * (areIndependent ? BYTES_PER_INDEPENDENT_REQUEST : BYTES_PER_REQUEST);
        double tokenBytes = 0;
        int instances = 0;
        int processors = Runtime.getRuntime().availableProcessors();
        for (PoolPlan pool : pools) {
            int concurrent = areIndependent ? Math.min(pool.maxInstances(), processors) : pool.maxInstances();
            memory += pool.replica().simulatedBytes(concurrent);
            instances += pool.maxInstances();
            tokenBytes = pool.role() == PoolRole.PREFILL ? pool.replica().tokenBytes() : tokenBytes;
        }
        Optional<KvNetwork> network = tokenBytes > 0 ? cluster.transfer().flatMap(Transfer::network) : Optional.empty();
        double hops = 0;
        if (network.isPresent()) {
            double moved = IntStream.range(0, trace.size())
                    .mapToDouble(trace::prefillTokens)
                    .sum();
            hops = network.get().hops(moved * tokenBytes, instances);
        }
        return new Estimate(
                tokens + hops,
                network.isPresent() ? "tokens, and chunks or frames times links" : "tokens",
                tokens * SECONDS_PER_TOKEN + hops * SECONDS_PER_HOP,
                memory,
                PAGE_BYTES + requests * ROW_BYTES);
    }

    private static void labels(ClusterSimSettings settings, RequestTrace trace) {
        boolean usesAdapters = IntStream.range(0, trace.size()).anyMatch(request -> trace.adapter(request) > 0);
        List<Problem> problems = new ArrayList<>();
        settings.cluster().pools().forEach((name, pool) -> {
            if (usesAdapters && pool.loras().isEmpty()) {
                problems.add(Problem.config("cluster.pools." + name, "has no LoRA adapters, but requests use some")
                        .hint("add a section loras, or set workload.labels.adapters=0"));
            } else if (!usesAdapters && pool.loras().isPresent()) {
                problems.add(
                        Problem.config("cluster.pools." + name + ".loras", "has no effect: no request uses an adapter")
                                .hint("set workload.labels.adapters, or leave it out"));
            }
        });
        StageException.refuse(problems);
    }

    private static void refuse(RequestTrace trace) {
        List<Problem> problems = new ArrayList<>();
        if (trace.size() == 0) {
            problems.add(Problem.of("workload error", "workload", "has no requests"));
        }
        for (int i = 0; i < trace.size() && problems.isEmpty(); i++) {
            if (trace.prefillTokens(i) < 1 || trace.decodeTokens(i) < 1) {
                problems.add(Problem.of(
                                "workload error",
                                "request " + i,
                                "must have at least one prompt token and one output token")
                        .hint("remove the request, or add tokens"));
            } else if (i > 0 && trace.arrivalSeconds(i) < trace.arrivalSeconds(i - 1)) {
                problems.add(Problem.of("workload error", "request " + i, "arrives before the request that precedes it")
                        .hint("sort the workload by arrival time"));
            }
        }
        StageException.refuse(problems);
    }
}
