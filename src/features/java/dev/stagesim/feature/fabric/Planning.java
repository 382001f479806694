package dev.stagesim.feature.fabric;

import dev.stagesim.feature.fabric.FabricStageSettings.Source;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.model.ModelCard;
import dev.stagesim.report.Numbers;
import dev.stagesim.settings.CatalogWorkload;
import dev.stagesim.settings.TargetSettings;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.CapacityJob;
import dev.stagesim.sim.capacity.CapacityKnobs;
import dev.stagesim.sim.capacity.CapacityNode;
import dev.stagesim.sim.capacity.SemiEmpirical;
import dev.stagesim.sim.serving.SchedulerSettings;
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

/** Works out what a workload takes on every target, and which settings take least. */
final class Planning {
    private static final String ASKED = "target";
    private static final String CANDIDATES = "candidates";
    /** Share of a measured run without any request, above which it says little of what a copy carries. */
    private static final double MOST_IDLE = 0.02;

    private final FabricStageSettings settings;
    private final StageContext context;
    private final CatalogEntry entry;
    private final Optional<Fit> fit;
    private final Evaluations evaluations;
    private final SchedulerSettings scheduler;
    private final Map<String, TargetSettings> targets = new LinkedHashMap<>();

    Planning(FabricStageSettings settings, StageContext context, CatalogEntry entry, Optional<Fit> fit) {
        this.settings = settings;
        this.context = context;
        this.entry = entry;
        this.fit = fit;
        this.evaluations = new Evaluations(context.cache());
        this.scheduler = settings.scheduler();
        String asked = settings.targets().entrySet().stream()
                .filter(other -> other.getValue().equals(settings.target()))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(ASKED);
        targets.put(asked, settings.target());
        settings.targets().forEach(targets::putIfAbsent);
    }

    Evaluations evaluations() {
        return evaluations;
    }

    Result result() throws IOException {
        boolean best = settings.track()
                .map(track -> track == CatalogWorkload.Track.BEST)
                .orElse(entry.best());
        return entry.isServed() ? serving(best) : training(best);
    }

    private TargetPlacement stated(String id, TargetSettings target) {
        return new TargetPlacement(
                id, target, entry.parallelism().tp(), entry.parallelism().pp(), scheduler);
    }

    private Result serving(boolean best) throws IOException {
        ServiceModel model = model();
        String asked = targets.keySet().iterator().next();
        TargetPlacement deployment = stated(asked, settings.target());
        double[] rates = ServingPlanner.rates(entry, model, deployment);
        ServingPlanner planner =
                new ServingPlanner(entry, rates, model, settings.autoscale(), settings.grid(), settings.uncertainty());
        Search search = new Search(settings.slo(), List.of(Plan.USD_PER_MTOK, Plan.TTFT, Plan.TPOT));
        List<Candidate> candidates = settings.optimize() || best
                ? Shown.ranged(searched(planner, search), rows(), planner::ranged)
                : List.of();
        List<Plan> plans = new ArrayList<>();
        targets.forEach((id, target) -> plans.add(planner.ranged(
                best
                        ? bestOf(candidates, id).orElseGet(() -> planner.plan(stated(id, target), load()))
                        : planner.plan(stated(id, target), load()))));
        Optional<StatedRun> simulated = settings.source() == Source.SIMULATED
                ? Optional.of(StatedRun.read(context.input("workload"), context.input("sim")))
                : Optional.empty();
        return new Result(
                entry,
                best,
                plans,
                plans.stream().map(search::broken).toList(),
                simulated,
                fit,
                candidates,
                Search.cheapest(candidates),
                Assumptions.of(settings, entry, fit));
    }

    private double load() {
        return settings.autoscale().targetUtilization();
    }

    private ServiceModel model() throws IOException {
        SimulatedService simulated = new SimulatedService(
                settings.model(),
                settings.engine().step(),
                settings.cluster().memoryMarginFraction(),
                settings.search().requests(),
                settings.uncertainty().simulated(),
                evaluations);
        return switch (settings.source()) {
            case SIMULATED -> simulated;
            case SEMI_EMPIRICAL ->
                new SemiEmpiricalService(
                        settings.model(),
                        entry.tuning(),
                        fit,
                        settings.uncertainty().semiEmpirical(),
                        settings.cluster().memoryMarginFraction());
            case MEASURED -> measured(simulated);
        };
    }

    private ServiceModel measured(SimulatedService simulated) throws IOException {
        RunInput run = context.input("real");
        RunFigures figures = RunFigures.read(run.dir());
        double idle = 1 - figures.busyShare();
        if (idle > MOST_IDLE) {
            context.warn("the measured run waited for requests " + Numbers.fixed(100 * idle, 0)
                    + " % of the time: a copy carries more than it shows, so nodes and cost are overstated");
        }
        return new MeasuredService(
                figures, RunFacts.read(run.dir()), settings.target().device().name(), StatedRun.link(run), simulated);
    }

    private List<Candidate> searched(ServingPlanner planner, Search search) {
        int longest = entry.phases().stream()
                .mapToInt(CatalogEntry.Phase::prompt)
                .max()
                .orElse(0);
        List<SearchSpace.Serving> questions = new SearchSpace(settings.search(), targets, scheduler).serving(longest);
        List<Plan> plans = Search.plans(
                questions,
                question -> planner.plan(question.deployment(), question.load()),
                done -> context.progress(CANDIDATES, done, questions.size()));
        return search.judged(plans);
    }

    /** The cheapest of a target's candidates that holds the slo. */
    private static Optional<Plan> bestOf(List<Candidate> candidates, String id) {
        return candidates.stream()
                .filter(candidate -> candidate.plan().deployment().id().equals(id))
                .filter(candidate ->
                        candidate.fate() == Candidate.Fate.FRONT || candidate.fate() == Candidate.Fate.DOMINATED)
                .map(Candidate::plan)
                .min(java.util.Comparator.comparingDouble(plan -> plan.figure(Plan.USD_PER_MTOK)));
    }

    private Result training(boolean best) throws IOException {
        boolean simulated = settings.source() == Source.SIMULATED;
        StepModel steps = simulated ? simulatedSteps() : closedSteps(Map.of());
        TrainingPlanner planner = trainer(steps);
        List<Plan> stated = new ArrayList<>();
        targets.forEach((id, target) -> stated.add(asStated(planner, id, target)));
        TargetPlacement asked = stated.get(0).deployment();
        int copies = TrainingPlanner.copies(asked, nodes(asked));
        if (copies != entry.parallelism().dp()) {
            context.warn("the workload states " + entry.parallelism().dp() + " copies of the model; " + copies
                    + " fill the " + nodes(asked) + " nodes that they take, and are planned with");
        }
        Search search = new Search(settings.slo(), List.of(Plan.USD_PER_MTOK, Plan.STEP, Plan.POWER));
        List<Candidate> candidates = List.of();
        if (settings.optimize() || best) {
            candidates = Shown.ranged(
                    simulated ? refined(planner, stated, search) : search.judged(tried(planner)),
                    rows(),
                    planner::ranged);
        }
        List<Plan> plans = new ArrayList<>();
        for (Plan plan : stated) {
            Optional<Plan> cheapest =
                    best ? bestOf(candidates, plan.deployment().id()) : Optional.empty();
            plans.add(planner.ranged(cheapest.map(of -> planner.plan(of.deployment(), (int) of.load(), of.detail()))
                    .orElse(plan)));
        }
        return new Result(
                entry,
                best,
                plans,
                plans.stream().map(search::broken).toList(),
                Optional.empty(),
                fit,
                candidates,
                Search.cheapest(candidates),
                Assumptions.of(settings, entry, fit));
    }

    private int rows() {
        return settings.search().reportRows();
    }

    private List<Plan> tried(TrainingPlanner planner) {
        List<SearchSpace.Training> questions = new SearchSpace(settings.search(), targets, scheduler).training();
        return Search.plans(
                questions,
                question -> planner.plan(question.deployment(), question.nodes(), question.microbatch()),
                done -> context.progress(CANDIDATES, done, questions.size()));
    }

    /**
     * Candidates by the closed form, which gives the simulated step of each target's stated devices; whatever comes to the
     * front is simulated, until all of the front is.
     */
    private List<Candidate> refined(TrainingPlanner simulated, List<Plan> stated, Search search) {
        List<Plan> plans = new ArrayList<>(tried(trainer(closedSteps(factors(stated)))));
        Set<Integer> known = new HashSet<>();
        while (true) {
            List<Candidate> judged = search.judged(plans);
            List<Integer> open = judged.stream()
                    .filter(Candidate::isOnFront)
                    .map(Candidate::number)
                    .filter(number -> !known.contains(number))
                    .toList();
            if (open.isEmpty()) {
                return judged;
            }
            List<Plan> worked = Search.plans(
                    open,
                    number -> simulated.plan(
                            plans.get(number).deployment(),
                            (int) plans.get(number).load(),
                            plans.get(number).detail()),
                    done -> context.progress("steps of the front", known.size() + done, known.size() + open.size()));
            for (int i = 0; i < open.size(); i++) {
                plans.set(open.get(i), worked.get(i));
            }
            known.addAll(open);
        }
    }

    /** Simulated over closed-form step of each target's stated devices. */
    private Map<String, Double> factors(List<Plan> stated) {
        TrainingPlanner closed = trainer(closedSteps(Map.of()));
        Map<String, Double> factors = new LinkedHashMap<>();
        for (Plan plan : stated) {
            Plan other =
                    asStated(closed, plan.deployment().id(), plan.deployment().target());
            if (plan.has(Plan.STEP) && other.has(Plan.STEP)) {
                factors.put(plan.deployment().id(), plan.figure(Plan.STEP) / other.figure(Plan.STEP));
            }
        }
        // a target that cannot hold the stated deployment is as far off as the others on average
        double usual = factors.values().stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(1);
        targets.keySet().forEach(id -> factors.putIfAbsent(id, usual));
        return factors;
    }

    private StepModel closedSteps(Map<String, Double> factors) {
        return new ClosedSteps(
                entry, settings.model(), fit, settings.uncertainty().semiEmpirical(), factors);
    }

    private StepModel simulatedSteps() throws IOException {
        TargetPlacement asked = stated(targets.keySet().iterator().next(), settings.target());
        int microbatch = entry.tuning().microbatch();
        int copies = TrainingPlanner.copies(asked, nodes(asked));
        Optional<SimulatedSteps.Given> given = Optional.empty();
        if (TrainingUpstream.isNeeded(settings, entry)) {
            StepRun run = StepRun.read(context.input("train")).of(copies * asked.devices(), entry.name());
            given = Optional.of(new SimulatedSteps.Given(asked, copies, microbatch, run));
        }
        return new SimulatedSteps(
                settings.model(),
                entry.phases().get(0).prompt(),
                settings.train().efficiency(),
                settings.uncertainty().simulated(),
                evaluations,
                given);
    }

    private TrainingPlanner trainer(StepModel steps) {
        return new TrainingPlanner(
                entry,
                settings.model(),
                steps,
                settings.grid(),
                settings.uncertainty(),
                settings.cluster().memoryMarginFraction());
    }

    /** Nodes that hold the accelerators that the entry names. */
    private int nodes(TargetPlacement deployment) {
        int devices = entry.parallelism().devices() * entry.parallelism().dp();
        int perNode = deployment.target().acceleratorsPerNode();
        return (devices + perNode - 1) / perNode;
    }

    /** As many accelerators as the entry names, in whole nodes. */
    private Plan asStated(TrainingPlanner planner, String id, TargetSettings target) {
        TargetPlacement deployment = stated(id, target);
        return planner.plan(deployment, nodes(deployment), entry.tuning().microbatch());
    }

    /**
     * Steps by the closed-form model, times a factor for each target where simulated steps gave one.
     *
     * @param unfitted relative standard deviation of throughput where nothing was fitted
     * @param factors what steps of a target are multiplied by, 1 where it is not named
     */
    private record ClosedSteps(
            CatalogEntry entry, ModelCard model, Optional<Fit> fit, double unfitted, Map<String, Double> factors)
            implements StepModel {
        ClosedSteps {
            factors = Map.copyOf(factors);
        }

        @Override
        public Optional<String> misfit(TargetPlacement deployment, int copies, int microbatch) {
            return Optional.empty();
        }

        @Override
        public Step step(TargetPlacement deployment, int copies, int microbatch) {
            CapacityFigures figures = figures(deployment, copies, microbatch);
            double factor = factors.getOrDefault(deployment.id(), 1.0);
            return new Step(figures.stepMs() * factor, figures.flopUtilization() / factor, "");
        }

        private CapacityFigures figures(TargetPlacement deployment, int copies, int microbatch) {
            AcceleratorCoefficients own = Coefficients.of(deployment.target(), model, false);
            AcceleratorCoefficients card = fit.map(f -> f.applied(own)).orElse(own);
            CatalogEntry.Tuning tuning = entry.tuning();
            CapacityKnobs knobs = new CapacityKnobs(
                    microbatch,
                    tuning.cudaGraphs(),
                    tuning.gpuDirect(),
                    tuning.sriov(),
                    card.card().fabricFactors().getOrDefault(tuning.fabric(), 1.0));
            CapacityJob job = new CapacityJob(
                    false,
                    entry.phases().get(0).prompt(),
                    0,
                    false,
                    deployment.tp(),
                    deployment.pp(),
                    copies,
                    model.hiddenSize(),
                    model.numLayers());
            CapacityNode node = new CapacityNode(
                    copies * deployment.devices(), deployment.target().device().memGb(), 0);
            return SemiEmpirical.steady(card, node, job, knobs);
        }

        @Override
        public double sigma() {
            return fit.map(Fit::sigma).orElse(unfitted);
        }
    }
}
