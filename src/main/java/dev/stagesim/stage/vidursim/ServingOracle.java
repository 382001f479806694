package dev.stagesim.stage.vidursim;

import dev.stagesim.model.HardwareCard;
import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.Deployment;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.Compat;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.SchedulerSettings;
import dev.stagesim.settings.SimulationSettings;
import dev.stagesim.sim.serving.BatchWindow;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingRecorder;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.Utilization;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.OracleContext;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Answers with the figures of a simulation that is never written: requests in memory, operator times read and trained once
 * for all questions that share them.
 */
final class ServingOracle implements Oracle<VidurSimSettings> {
    private static final double SECONDS_PER_HOUR = 3600;
    private static final double MILLION = 1e6;

    /** What operator times depend on. */
    private record TimesKey(
            String bundle,
            ModelCard model,
            HardwareCard hardware,
            int tensorParallel,
            int stages,
            boolean singleTokens,
            int blockSize,
            PredictorSettings predictor,
            Compat compat,
            Optional<Boolean> host) {}

    /** Operator times, and whether they have the host's. */
    private record Times(OperatorTimes times, boolean host) {}

    @Override
    public SortedMap<String, Double> known(VidurSimSettings settings) {
        ClusterSettings cluster = settings.cluster();
        double devices = (double) cluster.replicas() * cluster.tensorParallelSize() * cluster.numPipelineStages();
        SortedMap<String, Double> known = new TreeMap<>();
        known.put("devices", devices);
        settings.hardware().priceUsdHrTyp().ifPresent(price -> known.put("usd_per_hour", price * devices));
        settings.hardware().powerW().ifPresent(watts -> known.put("power_kw", watts * devices / 1e3));
        return known;
    }

    @Override
    public SortedMap<String, Double> figures(VidurSimSettings settings, OracleContext context) throws IOException {
        ServingInput input = input(context);
        if (input.trace().size() == 0) {
            throw StageException.input(Problem.of("artifact error", "workload", "the workload has no requests"));
        }
        Deployment deployment = settings.deployment();
        boolean given = deployment.hasTables();
        RunInput bundle = given ? new RunInput(context.home(), "", "", "") : context.input(VidurSimStage.PROFILING);
        Times times = times(settings, bundle, context);
        ServingSpec spec = spec(deployment, input.longest(), times.host(), bundle, context);
        MemoryPlan plan = MemoryPlan.of(spec);
        VidurSimStage.refuseInfeasible(spec, plan, input);
        SimulationSettings.Metrics metrics = settings.simulation().metrics();
        BatchWindow window = new BatchWindow(
                metrics.minBatchIndex().orElse(0L), metrics.maxBatchIndex().orElse(Long.MAX_VALUE));
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
        Figures figures = new Figures(
                outcome,
                new RequestTimes(input, outcome.states()),
                utilization,
                spec.cluster().replicas(),
                window);
        return all(settings, figures);
    }

    private SortedMap<String, Double> all(VidurSimSettings settings, Figures figures) {
        SortedMap<String, Double> all = new TreeMap<>(known(settings));
        all.putAll(figures.headlines());
        all.putAll(figures.more());
        Double tokens = all.get("throughput_tokens_per_s");
        Double price = all.get("usd_per_hour");
        if (tokens != null && price != null && tokens > 0) {
            all.put("usd_per_mtok", price / SECONDS_PER_HOUR / tokens * MILLION);
        }
        all.values().removeIf(value -> !Double.isFinite(value));
        return all;
    }

    private static ServingInput input(OracleContext context) throws IOException {
        Optional<Object> made = context.product(VidurSimStage.WORKLOAD);
        if (made.isPresent() && made.get() instanceof RequestTable table) {
            return ServingInput.of(table);
        }
        RunInput run = context.input(VidurSimStage.WORKLOAD);
        return context.shared(new WorkloadKey(run.sha256()), () -> ServingInput.read(run.dir()));
    }

    /** A workload that is read from a run. */
    private record WorkloadKey(String sha256) {}

    /** What a specification depends on that reads the bundle. */
    private record SpecKey(String bundle, Deployment deployment, int longest) {}

    private static ServingSpec spec(
            Deployment deployment, int longest, boolean host, RunInput bundle, OracleContext context)
            throws IOException {
        return host
                ? context.shared(
                        new SpecKey(bundle.sha256(), deployment, longest),
                        () -> deployment.spec(longest, true, bundle.dir()))
                : deployment.spec(longest, false, bundle.dir());
    }

    private static Times times(VidurSimSettings settings, RunInput bundle, OracleContext context) throws IOException {
        ClusterSettings cluster = settings.cluster();
        SchedulerSettings scheduler = settings.scheduler();
        TimesKey key = new TimesKey(
                bundle.sha256(),
                settings.model(),
                settings.hardware(),
                cluster.tensorParallelSize(),
                cluster.numPipelineStages(),
                scheduler instanceof SchedulerSettings.LightLlm,
                scheduler.blockSize(),
                settings.predictor(),
                settings.compat(),
                settings.simulation().overheads().host());
        return context.shared(key, () -> {
            Deployment deployment = settings.deployment();
            boolean host = deployment.addsHost(bundle.dir());
            return new Times(deployment.times(host, bundle.dir(), warning -> {}, context.cache()), host);
        });
    }
}
