package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.SimulationTables;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.serving.Deployment;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.settings.ClusterSettings;
import dev.stagesim.settings.PredictorSettings;
import dev.stagesim.settings.ServingWorkload;
import dev.stagesim.sim.serving.Feasibility;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.stage.Effort;
import dev.stagesim.stage.Oracle;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Simulates a serving workload, event by event, with operator times predicted from a profiling bundle. */
public final class VidurSimStage implements Stage<VidurSimSettings> {
    static final String WORKLOAD = "workload";
    static final String PROFILING = "profiling";
    private static final int USUAL_REQUESTS = 1000;

    /** Tables of operator times and the writers' buffers. */
    private static final long BASE_BYTES = 96L << 20;

    /** State, lengths, times and figures of a request; {@code specs/performance.md} has the measured parts. */
    private static final long BYTES_A_REQUEST = 400;

    private static final List<TableSchema> TABLES = Stream.concat(
                    Stream.of(Tables.REQUEST_METRICS, Tables.TOKEN_METRICS, Tables.BATCH_METRICS),
                    SimulationTables.all().stream())
            .toList();

    @Override
    public StageSpec<VidurSimSettings> spec() {
        return new StageSpec<>(
                "vidur_sim",
                "Simulate LLM serving event by event with predicted operator times.",
                VidurSimSettings.class,
                TABLES,
                1,
                false);
    }

    @Override
    public List<Upstream> upstreams(VidurSimSettings settings) {
        Optional<Path> workload = settings.workload().dir();
        Upstream requests =
                new Upstream(WORKLOAD, "workload", List.of("workload", "real_bench"), "workload.dir", workload);
        if (settings.predictor() instanceof PredictorSettings.Tables) {
            return List.of(requests);
        }
        return List.of(
                requests,
                new Upstream(
                        PROFILING,
                        "vidur_profile",
                        List.of("vidur_profile", "calibrate"),
                        "profiling.root",
                        settings.profiling().root()));
    }

    @Override
    public List<Path> reads(VidurSimSettings settings, Path home) {
        return settings.predictor() instanceof PredictorSettings.Tables tables ? List.of(tables.dir()) : List.of();
    }

    @Override
    public void check(VidurSimSettings settings, Path home) {
        List<Problem> problems = new ArrayList<>(WithoutEffect.problems(settings));
        if (settings.predictor() instanceof PredictorSettings.Tables
                && settings.profiling().root().isPresent()) {
            problems.add(Problem.of(
                    "config error",
                    "profiling.root",
                    "has no effect, because predictor.kind = tables needs no bundle"));
        }
        problems.addAll(impossible(settings));
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    /** What no workload can make up for, such as shards that do not divide the model. */
    private static List<Problem> impossible(VidurSimSettings settings) {
        try {
            settings.deployment().check();
            return List.of();
        } catch (StageException e) {
            return e.problems();
        }
    }

    @Override
    public void run(VidurSimSettings settings, StageContext context) throws IOException {
        check(settings, context.home());
        ServingInput input = ServingInput.read(context.input(WORKLOAD).dir());
        if (input.trace().size() == 0) {
            throw StageException.input(Problem.of(
                    "artifact error", context.input(WORKLOAD).dir().toString(), "the workload has no requests"));
        }
        ClusterSettings cluster = settings.cluster();
        if (cluster.replicas() == 1 && cluster.globalScheduler() != ClusterSettings.GlobalScheduler.ROUND_ROBIN) {
            context.warn(
                    "cluster.global_scheduler has no effect: with cluster.replicas=1 every request goes to the same"
                            + " replica");
        }
        Deployment deployment = settings.deployment();
        Path bundle = deployment.hasTables()
                ? context.home()
                : context.input(PROFILING).dir();
        boolean host = deployment.addsHost(bundle);
        ServingSpec spec = deployment.spec(input.longest(), host, bundle);
        MemoryPlan plan = MemoryPlan.of(spec);
        refuseInfeasible(spec, plan, input);
        OperatorTimes times = deployment.times(host, bundle, context::warn, context.cache());
        ServingOutcome outcome = new SimRun(settings, spec, plan, input, context).simulate(times);
        if (outcome.ending() == ServingOutcome.Ending.TIME_LIMIT) {
            int left = input.trace().size() - outcome.completed();
            context.warn(left + " requests were not done at simulation.time_limit; they are marked unfinished");
        }
    }

    static void refuseInfeasible(ServingSpec spec, MemoryPlan plan, ServingInput input) {
        List<Problem> problems = spec.quirks() ? List.of() : Feasibility.problems(spec, plan, input.trace());
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }

    @Override
    public Effort effort(VidurSimSettings settings) {
        int requests = settings.workload() instanceof ServingWorkload serving
                ? serving.numRequests().orElse(USUAL_REQUESTS)
                : USUAL_REQUESTS;
        return new Effort(requests, BASE_BYTES + (long) requests * BYTES_A_REQUEST);
    }

    @Override
    public Optional<Oracle<VidurSimSettings>> oracle() {
        return Optional.of(new ServingOracle());
    }
}
