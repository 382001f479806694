package dev.stagesim.stage.fabric;

import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.ReachedShares;
import dev.stagesim.settings.CatalogWorkload;
import dev.stagesim.settings.ProfileSettings;
import dev.stagesim.settings.TargetSettings;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.fabric.FabricStageSettings.Source;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Works out what a workload takes on every target, and which settings take least. */
final class Planning {
    private static final String ASKED = "target";
    private static final String CANDIDATES = "candidates";

    private final FabricStageSettings settings;
    private final StageContext context;
    private final CatalogEntry entry;
    private final Optional<Fit> fit;
    private final Evaluations evaluations;
    private final SchedulerSpec scheduler;
    private final Map<String, TargetSettings> targets = new LinkedHashMap<>();

    Planning(FabricStageSettings settings, StageContext context, CatalogEntry entry, Optional<Fit> fit) {
        this.settings = settings;
        this.context = context;
        this.entry = entry;
        this.fit = fit;
        this.evaluations = new Evaluations(context.cache());
        this.scheduler = SearchSpace.scheduler(settings.scheduler());
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

    private Deployment stated(String id, TargetSettings target) {
        return new Deployment(
                id, target, entry.parallelism().tp(), entry.parallelism().pp(), scheduler);
    }

    private Result serving(boolean best) throws IOException {
        ServiceModel model = model();
        String asked = targets.keySet().iterator().next();
        Deployment deployment = stated(asked, settings.target());
        double[] rates = ServingPlanner.rates(entry, model, deployment);
        ServingPlanner planner =
                new ServingPlanner(entry, rates, model, settings.autoscale(), settings.grid(), settings.uncertainty());
        Search search = new Search(settings.slo(), List.of(Plan.USD_PER_MTOK, Plan.TTFT, Plan.TPOT));
        List<Candidate> candidates = settings.optimize() || best ? searched(planner, search) : List.of();
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
                shares(),
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
        return new MeasuredService(
                figures,
                figures.ttftMs(),
                RunFacts.read(run.dir())
                        .hardware()
                        .orElse(settings.target().device().name()),
                StatedRun.link(run),
                simulated);
    }

    private ReachedShares shares() {
        if (settings.profile() instanceof ProfileSettings.Roofline roofline) {
            ProfileSettings.Efficiency e = roofline.efficiency();
            return new ReachedShares(
                    e.compute(),
                    e.attention(),
                    e.bandwidth(),
                    e.link(),
                    e.kernelUs(),
                    e.collectiveUs(),
                    e.hopUs(),
                    e.networkHopUs());
        }
        throw StageException.input(Problem.of(
                        "config error",
                        "profile.profiler",
                        "targets are compared by the roofline, which an imported or measured profile does not give")
                .hint("set profile=roofline, or source=semi_empirical"));
    }

    private List<Candidate> searched(ServingPlanner planner, Search search) {
        int longest = entry.phases().stream()
                .mapToInt(CatalogEntry.Phase::prompt)
                .max()
                .orElse(0);
        List<SearchSpace.Serving> questions = new SearchSpace(settings.search(), targets).serving(longest);
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
        TrainingPlanner planner = trainer();
        Search search = new Search(settings.slo(), List.of(Plan.USD_PER_MTOK, Plan.STEP, Plan.POWER));
        List<Candidate> candidates = List.of();
        if (settings.optimize() || best) {
            List<SearchSpace.Training> questions = new SearchSpace(settings.search(), targets).training(scheduler);
            candidates = search.judged(Search.plans(
                    questions,
                    question -> planner.plan(question.deployment(), question.nodes(), question.microbatch()),
                    done -> context.progress(CANDIDATES, done, questions.size())));
        }
        List<Plan> plans = new ArrayList<>();
        for (Map.Entry<String, TargetSettings> target : targets.entrySet()) {
            Plan plan = best ? bestOf(candidates, target.getKey()).orElse(null) : null;
            plans.add(planner.ranged(plan == null ? asStated(planner, target.getKey(), target.getValue()) : plan));
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

    /** The closed form, scaled so that it gives the simulated step of the stated devices where there is one. */
    private TrainingPlanner trainer() throws IOException {
        TrainingPlanner closed = trainer(Optional.empty(), 1);
        if (settings.source() != Source.SIMULATED) {
            return closed;
        }
        StepRun step = StepRun.read(context.input("train"))
                .of(entry.parallelism().devices() * entry.parallelism().dp(), entry.name());
        Plan stated = asStated(closed, ASKED, settings.target());
        return stated.refusal().isPresent()
                ? closed
                : trainer(Optional.of(step), step.stepMs() / stated.figure(Plan.STEP));
    }

    private TrainingPlanner trainer(Optional<StepRun> step, double scale) {
        return new TrainingPlanner(
                entry,
                settings.model(),
                fit,
                step,
                scale,
                settings.grid(),
                settings.uncertainty(),
                settings.cluster().memoryMarginFraction());
    }

    /** As many accelerators as the entry names, in whole nodes. */
    private Plan asStated(TrainingPlanner planner, String id, TargetSettings target) {
        int devices = entry.parallelism().devices() * entry.parallelism().dp();
        int nodes = (devices + target.acceleratorsPerNode() - 1) / target.acceleratorsPerNode();
        return planner.plan(stated(id, target), nodes, entry.tuning().microbatch());
    }
}
