package dev.stagesim.feature.fabric;

import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.feature.fabric.FabricStageSettings.Source;
import dev.stagesim.feature.fabric.performance.CoefficientFit;
import dev.stagesim.feature.fabric.performance.Evaluations;
import dev.stagesim.feature.fabric.performance.MeasuredService;
import dev.stagesim.feature.fabric.performance.RequestLatencies;
import dev.stagesim.feature.fabric.performance.RunMetadata;
import dev.stagesim.feature.fabric.performance.SemiEmpiricalService;
import dev.stagesim.feature.fabric.performance.ServiceModel;
import dev.stagesim.feature.fabric.performance.SimulatedService;
import dev.stagesim.feature.fabric.performance.SimulatedSteps;
import dev.stagesim.feature.fabric.performance.StatedRun;
import dev.stagesim.feature.fabric.performance.StepRun;
import dev.stagesim.feature.fabric.performance.TargetCoefficients;
import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.feature.fabric.performance.TrainingStepModel;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.CapacityJob;
import dev.stagesim.sim.capacity.CapacityKnobs;
import dev.stagesim.sim.capacity.CapacityNode;
import dev.stagesim.sim.capacity.SemiEmpirical;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Plans a workload on every target and searches for the cheapest settings. */
final class FabricPlanner {
    private static final String REQUESTED = "target";
    private static final String CANDIDATES = "candidates";
    /** Maximum idle share of a measured run; above it, the run underestimates the capacity of a copy noticeably. */
    private static final double MAX_IDLE_SHARE = 0.02;

    private final FabricStageSettings settings;
    private final StageContext context;
    private final CatalogEntry entry;
    private final Optional<CoefficientFit> fit;
    private final Evaluations evaluations;
    private final SchedulerSettings scheduler;
    private final Map<String, TargetSettings> targets = new LinkedHashMap<>();

    FabricPlanner(
            FabricStageSettings settings, StageContext context, CatalogEntry entry, Optional<CoefficientFit> fit) {
        this.settings = settings;
        this.context = context;
        this.entry = entry;
        this.fit = fit;
        this.evaluations = new Evaluations(context.cache());
        this.scheduler = settings.serving().scheduler();
        String requested = settings.machines().targets().entrySet().stream()
                .filter(other -> other.getValue().equals(settings.machines().target()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(REQUESTED);
        targets.put(requested, settings.machines().target());
        settings.machines().targets().forEach(targets::putIfAbsent);
    }

    Evaluations evaluations() {
        return evaluations;
    }

    /** Returns the targets of a search as text; empty without a search, or if it has only the requested target. */
    Optional<String> scope() {
        return Optional.of(targets.size())
                .filter(count -> count > 1 && settings.optimizer().optimize())
                .map(count -> "searches all " + count + " targets for the cheapest settings, not only the requested "
                        + settings.machines().target().name());
    }

    FabricResult result() throws IOException {
        boolean best = settings.machines()
                .track()
                .map(track -> track == CatalogWorkload.Track.BEST)
                .orElse(entry.best());
        return entry.isServed() ? serving(best) : training(best);
    }

    private TargetPlacement stated(String id, TargetSettings target) {
        return new TargetPlacement(
                id, target, entry.parallelism().tp(), entry.parallelism().pp(), scheduler);
    }

    private FabricResult serving(boolean best) throws IOException {
        ServiceModel model = model();
        String requested = targets.keySet().iterator().next();
        TargetPlacement deployment = stated(requested, settings.machines().target());
        double[] rates = ServingPlanner.rates(entry, model, deployment);
        ServingPlanner planner = new ServingPlanner(
                entry,
                rates,
                model,
                settings.operation().autoscale(),
                settings.operation().grid(),
                settings.operation().uncertainty());
        FabricSearch search = new FabricSearch(
                settings.operation().slo(), List.of(FabricPlan.USD_PER_MTOK, FabricPlan.TTFT, FabricPlan.TPOT));
        List<FabricCandidate> candidates = settings.optimizer().optimize() || best
                ? ReportedCandidates.withRanges(searched(planner, search), rows(), planner::withRanges)
                : List.of();
        List<FabricPlan> plans = new ArrayList<>();
        targets.forEach((id, target) -> plans.add(planner.withRanges(
                best
                        ? bestOf(candidates, id).orElseGet(() -> planner.plan(stated(id, target), load()))
                        : planner.plan(stated(id, target), load()))));
        Optional<StatedRun> simulated = settings.machines().source() == Source.SIMULATED
                ? Optional.of(StatedRun.read(context.input("workload"), context.input("sim")))
                : Optional.empty();
        return new FabricResult(
                entry,
                best,
                plans,
                plans.stream().map(search::violations).toList(),
                simulated,
                fit,
                candidates,
                FabricSearch.cheapest(candidates),
                Assumptions.of(settings, entry, fit));
    }

    private double load() {
        return settings.operation().autoscale().targetUtilization();
    }

    private ServiceModel model() throws IOException {
        SimulatedService simulated = new SimulatedService(
                settings.model(),
                settings.serving().engine().step(),
                settings.serving().cluster().memoryMarginFraction(),
                settings.optimizer().search().requests(),
                settings.operation().uncertainty().simulated(),
                evaluations);
        return switch (settings.machines().source()) {
            case SIMULATED -> simulated;
            case SEMI_EMPIRICAL ->
                new SemiEmpiricalService(
                        settings.model(),
                        entry.tuning(),
                        fit,
                        settings.operation().uncertainty().semiEmpirical(),
                        settings.serving().cluster().memoryMarginFraction());
            case MEASURED -> measured(simulated);
        };
    }

    private ServiceModel measured(SimulatedService simulated) throws IOException {
        RunInput run = context.input("real");
        RequestLatencies latencies = RequestLatencies.read(run.dir());
        double idle = 1 - latencies.busyShare();
        if (idle > MAX_IDLE_SHARE) {
            context.warn("the measured run was idle for " + Numbers.fixed(100 * idle, 0)
                    + " % of the time: it underestimates the capacity of a copy, so nodes and cost are overestimated");
        }
        return new MeasuredService(
                latencies,
                RunMetadata.read(run.dir()),
                settings.machines().target().device().name(),
                StatedRun.link(run),
                simulated);
    }

    private List<FabricCandidate> searched(ServingPlanner planner, FabricSearch search) {
        int longest = entry.phases().stream()
                .mapToInt(CatalogEntry.Phase::prompt)
                .max()
                .orElse(0);
        List<FabricSearchSpace.Serving> questions =
                new FabricSearchSpace(settings.optimizer().search(), targets, scheduler).serving(longest);
        List<FabricPlan> plans = FabricSearch.plans(
                questions,
                question -> planner.plan(question.deployment(), question.load()),
                done -> context.progress(CANDIDATES, done, questions.size()));
        return search.judge(plans);
    }

    /** Returns the cheapest candidate of a target that meets the SLO. */
    private static Optional<FabricPlan> bestOf(List<FabricCandidate> candidates, String id) {
        return candidates.stream()
                .filter(candidate -> candidate.plan().deployment().id().equals(id))
                .filter(candidate -> candidate.status() == FabricCandidate.Status.FRONT
                        || candidate.status() == FabricCandidate.Status.DOMINATED)
                .map(FabricCandidate::plan)
                .min(java.util.Comparator.comparingDouble(plan -> plan.metric(FabricPlan.USD_PER_MTOK)));
    }

    private FabricResult training(boolean best) throws IOException {
        boolean simulated = settings.machines().source() == Source.SIMULATED;
        TrainingStepModel steps = simulated ? simulatedSteps() : closedSteps(Map.of());
        TrainingPlanner planner = trainer(steps);
        List<FabricPlan> stated = new ArrayList<>();
        targets.forEach((id, target) -> stated.add(asStated(planner, id, target)));
        TargetPlacement requested = stated.get(0).deployment();
        int copies = TrainingPlanner.copies(requested, nodes(requested));
        if (copies != entry.parallelism().dp()) {
            context.warn("the workload states " + entry.parallelism().dp() + " copies of the model; the plan uses "
                    + copies + ", which fill the " + nodes(requested) + " nodes");
        }
        FabricSearch search = new FabricSearch(
                settings.operation().slo(), List.of(FabricPlan.USD_PER_MTOK, FabricPlan.STEP, FabricPlan.POWER));
        List<FabricCandidate> candidates = List.of();
        if (settings.optimizer().optimize() || best) {
            candidates = ReportedCandidates.withRanges(
                    simulated ? simulateFront(planner, stated, search) : search.judge(evaluate(planner)),
                    rows(),
                    planner::withRanges);
        }
        List<FabricPlan> plans = new ArrayList<>();
        for (FabricPlan plan : stated) {
            Optional<FabricPlan> cheapest =
                    best ? bestOf(candidates, plan.deployment().id()) : Optional.empty();
            plans.add(planner.withRanges(cheapest.map(of -> planner.plan(of.deployment(), (int) of.load(), of.detail()))
                    .orElse(plan)));
        }
        return new FabricResult(
                entry,
                best,
                plans,
                plans.stream().map(search::violations).toList(),
                Optional.empty(),
                fit,
                candidates,
                FabricSearch.cheapest(candidates),
                Assumptions.of(settings, entry, fit));
    }

    private int rows() {
        return settings.optimizer().search().reportRows();
    }

    private List<FabricPlan> evaluate(TrainingPlanner planner) {
        List<FabricSearchSpace.Training> questions =
                new FabricSearchSpace(settings.optimizer().search(), targets, scheduler).training();
        return FabricSearch.plans(
                questions,
                question -> planner.plan(question.deployment(), question.nodes(), question.microbatch()),
                done -> context.progress(CANDIDATES, done, questions.size()));
    }

    /**
     * Evaluates candidates by the closed form, calibrated with one simulated step per target. Candidates on the front
     * are then simulated and judged again, until the whole front is simulated.
     */
    private List<FabricCandidate> simulateFront(
            TrainingPlanner simulated, List<FabricPlan> stated, FabricSearch search) {
        List<FabricPlan> plans = new ArrayList<>(evaluate(trainer(closedSteps(factors(stated)))));
        Set<Integer> known = new HashSet<>();
        while (true) {
            List<FabricCandidate> candidates = search.judge(plans);
            List<Integer> open = candidates.stream()
                    .filter(FabricCandidate::isOnFront)
                    .map(FabricCandidate::number)
                    .filter(number -> !known.contains(number))
                    .toList();
            if (open.isEmpty()) {
                return candidates;
            }
            List<FabricPlan> worked = FabricSearch.plans(
                    open,
                    number -> simulated.plan(
                            plans.get(number).deployment(),
                            (int) plans.get(number).load(),
                            plans.get(number).detail()),
                    done -> context.progress("steps on the front", known.size() + done, known.size() + open.size()));
            for (int i = 0; i < open.size(); i++) {
                plans.set(open.get(i), worked.get(i));
            }
            known.addAll(open);
        }
    }

    /** Returns the ratio of the simulated to the closed-form step for each target. */
    private Map<String, Double> factors(List<FabricPlan> stated) {
        TrainingPlanner closed = trainer(closedSteps(Map.of()));
        Map<String, Double> factors = new LinkedHashMap<>();
        for (FabricPlan plan : stated) {
            FabricPlan other =
                    asStated(closed, plan.deployment().id(), plan.deployment().target());
            if (plan.has(FabricPlan.STEP) && other.has(FabricPlan.STEP)) {
                factors.put(plan.deployment().id(), plan.metric(FabricPlan.STEP) / other.metric(FabricPlan.STEP));
            }
        }
        // A target that cannot run the stated deployment gets the average ratio of the other targets.
        double average = factors.values().stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(1);
        targets.keySet().forEach(id -> factors.putIfAbsent(id, average));
        return factors;
    }

    private TrainingStepModel closedSteps(Map<String, Double> factors) {
        return new ClosedSteps(
                entry, settings.model(), fit, settings.operation().uncertainty().semiEmpirical(), factors);
    }

    private TrainingStepModel simulatedSteps() throws IOException {
        TargetPlacement requested =
                stated(targets.keySet().iterator().next(), settings.machines().target());
        int microbatch = entry.tuning().microbatch();
        int copies = TrainingPlanner.copies(requested, nodes(requested));
        Optional<SimulatedSteps.KnownStep> given = Optional.empty();
        if (TrainingUpstream.isNeeded(settings, entry)) {
            StepRun run = StepRun.read(context.input("train")).of(copies * requested.devices(), entry.name());
            given = Optional.of(new SimulatedSteps.KnownStep(requested, copies, microbatch, run));
        }
        return new SimulatedSteps(
                settings.model(),
                entry.phases().get(0).prompt(),
                settings.runs().train().efficiency(),
                settings.operation().uncertainty().simulated(),
                evaluations,
                given);
    }

    private TrainingPlanner trainer(TrainingStepModel steps) {
        return new TrainingPlanner(
                entry,
                settings.model(),
                steps,
                settings.operation().grid(),
                settings.operation().uncertainty(),
                settings.serving().cluster().memoryMarginFraction());
    }

    /** Returns the number of nodes that contain the accelerators of the entry. */
    private int nodes(TargetPlacement deployment) {
        int devices = entry.parallelism().devices() * entry.parallelism().dp();
        int perNode = deployment.target().acceleratorsPerNode();
        return (devices + perNode - 1) / perNode;
    }

    /** Plans a target with the accelerators of the entry, rounded up to whole nodes. */
    private FabricPlan asStated(TrainingPlanner planner, String id, TargetSettings target) {
        TargetPlacement deployment = stated(id, target);
        return planner.plan(deployment, nodes(deployment), entry.tuning().microbatch());
    }

    /**
     * Closed-form steps, multiplied by a calibration factor per target.
     *
     * @param unfitted relative standard deviation of throughput without a fit
     * @param factors calibration factor by target; 1 if absent
     */
    private record ClosedSteps(
            CatalogEntry entry,
            ModelCard model,
            Optional<CoefficientFit> fit,
            double unfitted,
            Map<String, Double> factors)
            implements TrainingStepModel {
        ClosedSteps {
            factors = Map.copyOf(factors);
        }

        @Override
        public Optional<String> whyInfeasible(TargetPlacement deployment, int copies, int microbatch) {
            return Optional.empty();
        }

        @Override
        public Step step(TargetPlacement deployment, int copies, int microbatch) {
            CapacityFigures metrics = metrics(deployment, copies, microbatch);
            double factor = factors.getOrDefault(deployment.id(), 1.0);
            return new Step(metrics.stepMs() * factor, metrics.flopUtilization() / factor, "");
        }

        private CapacityFigures metrics(TargetPlacement deployment, int copies, int microbatch) {
            AcceleratorCoefficients base = TargetCoefficients.of(deployment.target(), model, false);
            AcceleratorCoefficients card = fit.map(f -> f.applied(base)).orElse(base);
            CatalogEntry.Tuning tuning = entry.tuning();
            CapacityKnobs knobs = new CapacityKnobs(
                    microbatch,
                    tuning.cudaGraphs(),
                    tuning.gpuDirect(),
                    tuning.sriov(),
                    card.card().communication().fabricFactors().getOrDefault(tuning.fabric(), 1.0));
            CapacityJob job = new CapacityJob(
                    false,
                    entry.phases().get(0).prompt(),
                    0,
                    false,
                    deployment.tp(),
                    deployment.pp(),
                    copies,
                    model.shape().hiddenSize(),
                    model.shape().numLayers());
            CapacityNode node = new CapacityNode(
                    copies * deployment.devices(),
                    deployment.target().device().memory().memGb(),
                    0);
            return SemiEmpirical.steady(card, node, job, knobs);
        }

        @Override
        public double sigma() {
            return fit.map(CoefficientFit::sigma).orElse(unfitted);
        }
    }
}
