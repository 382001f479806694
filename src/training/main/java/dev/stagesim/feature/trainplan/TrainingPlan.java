package dev.stagesim.feature.trainplan;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.sim.training.Calibration;
import dev.stagesim.sim.training.Finalists;
import dev.stagesim.sim.training.Finalists.Finalist;
import dev.stagesim.sim.training.FlopsDefinition;
import dev.stagesim.sim.training.MemoryModel;
import dev.stagesim.sim.training.NetworkConfirmation;
import dev.stagesim.sim.training.SearchSpace;
import dev.stagesim.sim.training.SimulatedPipeline;
import dev.stagesim.sim.training.StageCollectives;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.StrategySearch;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.TrainingMachine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The best strategies with their simulated pipelines, and the cost of each choice. */
final class TrainingPlan {
    private static final double HOUR = 3600;
    private static final double DAY = 24 * HOUR;
    /** Number of finalists to simulate, and the maximum if further ones may be better. */
    private static final int SIMULATED = 3;

    private static final int MAX_SIMULATED = 8;

    private final TrainPlanSettings settings;
    private final PlanRequest request;
    private final Optional<Calibration> calibration;
    private final StrategySearch.Result result;
    private final Map<String, Long> rejected;
    private final List<Finalist> finalists;
    private final SimulatedPipeline pipeline;
    private final Map<Candidate, Optional<NetworkConfirmation>> networks = new LinkedHashMap<>();
    private final List<Change> changes = new ArrayList<>();

    /**
     * The best step after one change.
     *
     * @param what description of the change
     * @param best best strategy after the change; empty if none is feasible
     */
    record Change(String what, Optional<Finalist> best) {}

    private TrainingPlan(
            TrainPlanSettings settings,
            PlanRequest request,
            Optional<Calibration> calibration,
            StrategySearch.Result result,
            Map<String, Long> rejected) {
        this.settings = settings;
        this.rejected = rejected;
        this.request = request;
        this.calibration = calibration;
        this.result = result;
        List<Finalist> best =
                new ArrayList<>(finalists(result.best(), settings.search().top()));
        double bestScore = Double.MAX_VALUE;
        double minSlowdown = Double.MAX_VALUE;
        for (Finalist finalist : best) {
            double timeline = score(finalist);
            if (networks.size() >= SIMULATED
                    && (networks.size() == MAX_SIMULATED || bestScore <= minSlowdown * timeline)) {
                break;
            }
            Candidate candidate = finalist.candidate();
            networks.put(
                    candidate, NetworkConfirmation.of(candidate, request.model(), request.machine(), request.job()));
            bestScore = Math.min(bestScore, score(finalist));
            minSlowdown = Math.min(minSlowdown, score(finalist) / timeline);
        }
        // Finalists without a network simulation are scaled by the smallest slowdown of the simulated ones.
        double slowdown = minSlowdown;
        best.sort(
                Comparator.comparingDouble(f -> networks.containsKey(f.candidate()) ? score(f) : slowdown * score(f)));
        finalists = List.copyOf(best);
        pipeline = SimulatedPipeline.of(winner(), settings.batch().global());
    }

    /** Returns the step time of a finalist on its network, or on its timeline if its network was not simulated. */
    double simulated(Finalist finalist) {
        return network(finalist.candidate()).map(NetworkConfirmation::step).orElse(finalist.step());
    }

    private double score(Finalist finalist) {
        return simulated(finalist)
                * request.objective().weight(finalist.candidate().strategy().devices());
    }

    private List<Finalist> finalists(List<Candidate> best, int wanted) {
        return Finalists.of(best, wanted, settings.batch().global(), request.objective());
    }

    static TrainingPlan of(TrainPlanSettings settings) throws IOException {
        PlanRequest plain = PlanRequest.of(settings);
        Optional<Calibration> calibration = Optional.empty();
        if (settings.measured().isPresent()) {
            calibration = Optional.of(Calibration.fit(
                    plain.model(),
                    plain.machine(),
                    MeasuredFile.read(settings.measured().get(), settings, plain)));
        }
        PlanRequest request =
                calibration.map(fit -> plain.calibrated(fit.factor())).orElse(plain);
        long[] unsupported = new long[1];
        StrategySearch.Result result = search(settings, request, request.machine(), strategy -> true, unsupported);
        if (result.best().isEmpty()) {
            throw new NoFeasibleStrategy(
                    noFeasibleStrategy(request, result, unsupported[0]), rejected(result, unsupported[0]));
        }
        TrainingPlan plan = new TrainingPlan(settings, request, calibration, result, rejected(result, unsupported[0]));
        plan.evaluateChanges();
        return plan;
    }

    /** No strategy is feasible, which is a valid result and not an input error. */
    static final class NoFeasibleStrategy extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final transient Problem problem;
        private final transient Map<String, Long> rejected;

        NoFeasibleStrategy(Problem problem, Map<String, Long> rejected) {
            super(problem.what());
            this.problem = problem;
            this.rejected = rejected;
        }

        Problem problem() {
            return problem;
        }

        Map<String, Long> rejected() {
            return rejected;
        }
    }

    /**
     * Searches the strategies that a framework supports, or all of them with search.hypothetical.
     *
     * @param unsupported counts in its first element the strategies that no framework supports
     */
    private static StrategySearch.Result search(
            TrainPlanSettings settings,
            PlanRequest request,
            TrainingMachine machine,
            Predicate<Strategy> allowed,
            long[] unsupported) {
        return StrategySearch.run(
                request.model(), machine, request.job(), request.space(), request.objective(), strategy -> {
                    if (!allowed.test(strategy)) {
                        return false;
                    }
                    boolean runs = settings.search().hypothetical()
                            || Framework.isAny(new Framework.StrategyRequest(strategy, request.model(), settings));
                    unsupported[0] += runs ? 0 : 1;
                    return runs;
                });
    }

    /** Returns the number of combinations that each rule rejected, including memory and framework support. */
    private static Map<String, Long> rejected(StrategySearch.Result result, long unsupported) {
        Map<String, Long> rejected = new TreeMap<>(result.rejected());
        rejected.put("does_not_fit", result.full());
        rejected.put("no_framework_runs_it", unsupported);
        return rejected;
    }

    /** Returns the frameworks that support a candidate. */
    List<Framework> frameworks(Candidate candidate) {
        return Framework.of(new Framework.StrategyRequest(candidate.strategy(), request.model(), settings));
    }

    Map<String, Long> rejected() {
        return rejected;
    }

    private static Problem noFeasibleStrategy(PlanRequest request, StrategySearch.Result result, long unsupported) {
        String rules = rejected(result, unsupported).entrySet().stream()
                .filter(rule -> rule.getValue() > 0)
                .map(rule -> rule.getKey().replace('_', ' ') + " (" + rule.getValue() + ")")
                .collect(Collectors.joining(", "));
        boolean isUnsupported = result.visited() == 0 && unsupported > 0;
        return Problem.of(
                        "check failed",
                        "search",
                        isUnsupported
                                ? "no supported framework runs any of " + unsupported + " strategies"
                                : result.visited() == 0
                                        ? "no strategy satisfies the rules; violated rules: " + rules
                                        : "none of " + result.visited() + " strategies fits "
                                                + gib(request.space().memory()) + " GiB of "
                                                + request.machine().name())
                .hint(
                        isUnsupported
                                ? "remove a restriction in search.*, or include them with search.hypothetical=true"
                                : result.visited() == 0
                                        ? "remove a restriction in search.*, or change cluster.devices or batch.global"
                                        : smaller(request.space()));
    }

    private static String smaller(SearchSpace space) {
        boolean hasAll = space.recompute().isEmpty() || space.recompute().contains(Recompute.FULL);
        return hasAll
                ? "use more devices or a shorter sequence, or remove a restriction in search.*"
                : "use more devices or a shorter sequence, or allow full in search.recompute";
    }

    static String gib(double bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / (1L << 30));
    }

    private void evaluateChanges() {
        Strategy best = winner().strategy();
        axis("tensor parallelism", Strategy::tensor, best.tensor());
        axis("pipeline parallelism", Strategy::pipeline, best.pipeline());
        axis("virtual stages", Strategy::virtual, best.virtual());
        axis("context parallelism", Strategy::context, best.context());
        if (request.model().isMixture()) {
            axis("expert parallelism", Strategy::expert, best.expert());
        }
        axis("ZeRO stage", Strategy::zero, best.zero());
        axis("micro-batch", Strategy::microBatch, best.microBatch());
        axis("recomputation", s -> s.recompute().ordinal(), best.recompute().ordinal());
        changes.add(new Change(
                "half the network",
                bestOn(request.machine().network(request.machine().network() / 2))));
        changes.add(new Change(
                "twice the network",
                bestOn(request.machine().network(request.machine().network() * 2))));
        changes.add(new Change("10 % less compute", bestOn(request.machine().slowed(0.9, 1))));
        changes.add(new Change(
                "10 % less memory bandwidth", bestOn(request.machine().slowed(1, 0.9))));
    }

    private void axis(String name, Function<Strategy, Integer> value, int chosen) {
        StrategySearch.Result other =
                search(settings, request, request.machine(), s -> value.apply(s) != chosen, new long[1]);
        changes.add(new Change(
                name + " other than "
                        + (name.equals("recomputation") ? KeyNames.constant(Recompute.values()[chosen]) : chosen),
                first(other)));
    }

    private Optional<Finalist> bestOn(TrainingMachine machine) {
        return first(search(settings, request, machine, any -> true, new long[1]));
    }

    private Optional<Finalist> first(StrategySearch.Result result) {
        return finalists(result.best(), 1).stream().findFirst();
    }

    /** Returns the increase of the objective relative to the winner in percent, both on their timelines. */
    double worse(Finalist other) {
        return 100 * (other.score(request.objective()) / finalists.get(0).score(request.objective()) - 1);
    }

    TrainPlanSettings settings() {
        return settings;
    }

    PlanRequest request() {
        return request;
    }

    /** Efficiency factor from the measured steps of the user. */
    Optional<Calibration> calibration() {
        return calibration;
    }

    StrategySearch.Result result() {
        return result;
    }

    /** Returns the finalists, ranked by the network simulation where available, otherwise by their timelines. */
    List<Finalist> finalists() {
        return finalists;
    }

    Candidate winner() {
        return finalists.get(0).candidate();
    }

    /** The pipeline of the winner, operation by operation. */
    SimulatedPipeline pipeline() {
        return pipeline;
    }

    /** Returns the network simulation of a finalist; empty if it was not simulated. */
    Optional<NetworkConfirmation> network(Candidate candidate) {
        return networks.getOrDefault(candidate, Optional.empty());
    }

    /** Returns the simulated collectives of a stage of the winner; empty without a network. */
    Optional<StageCollectives> collectives() {
        return network(winner()).map(NetworkConfirmation::collectives);
    }

    List<StageCollectives.Row> exchanges() {
        return collectives().map(StageCollectives::rows).orElse(List.of());
    }

    List<Change> changes() {
        return changes;
    }

    /** Returns the finalists with their rank, followed by strategies that are only on the Pareto front, with rank 0. */
    Map<Finalist, Integer> reported() {
        Map<Finalist, Integer> reported = new LinkedHashMap<>();
        for (Finalist finalist : finalists) {
            reported.put(finalist, reported.size() + 1);
        }
        for (Candidate candidate : result.front()) {
            Finalist other = finalists(List.of(candidate), 1).get(0);
            reported.putIfAbsent(other, 0);
        }
        return reported;
    }

    double tokens() {
        return (double) settings.sequence() * settings.batch().global();
    }

    double tokensPerSecond(Candidate candidate) {
        return tokens() / candidate.step().step();
    }

    /** Returns the utilisation in percent of the dense peak at the precision of the products. */
    double utilisation(Candidate candidate, FlopsDefinition definition) {
        Recompute recompute = candidate.strategy().recompute();
        double recomputedShare = recompute == Recompute.FULL ? 1 : recompute == Recompute.HALF ? 0.5 : 0;
        boolean isLow = settings.precision() != TrainPlanSettings.TrainingPrecision.BF16;
        double flops = definition.perToken(
                request.model(),
                settings.sequence(),
                recomputedShare,
                request.model().recomputedFlops(recompute, isLow, settings.sequence()));
        double peak = request.machine().peak(request.job().precision())
                * candidate.strategy().devices();
        return 100 * flops * tokensPerSecond(candidate) / peak;
    }

    /** Price of a device in USD/h; 0 if unknown. */
    double price() {
        return settings.cluster()
                .priceUsdHr()
                .or(() -> settings.hardware().costs().priceUsdHrTyp())
                .orElse(0.0);
    }

    double usdPerMillionTokens(Candidate candidate) {
        return price() * candidate.strategy().devices() / HOUR / tokensPerSecond(candidate) * 1e6;
    }

    /** Returns the energy of a step in kWh at board power; 0 if unknown. */
    double kwhPerStep(Candidate candidate) {
        return settings.hardware().costs().powerW().orElse(0.0)
                * candidate.strategy().devices()
                * candidate.step().step()
                / HOUR
                / 1e3;
    }

    /** Returns the share of time in productive steps, with the optimal checkpoint interval. */
    double goodput(Candidate candidate) {
        return PlanRequest.failures(settings).goodput(candidate.strategy().devices());
    }

    /** Returns the optimal time between checkpoints in seconds. */
    double checkpointInterval(Candidate candidate) {
        return PlanRequest.failures(settings).interval(candidate.strategy().devices());
    }

    /** Returns the days of the whole training, including failures. */
    OptionalDouble days(Candidate candidate) {
        return settings.run().tokens().isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        settings.run().tokens().get() / tokensPerSecond(candidate) / DAY / goodput(candidate));
    }

    /** Returns the memory of every rank of the winner. */
    List<MemoryModel.Rank> ranks() {
        MemoryModel memory = new MemoryModel(request.model(), request.job());
        List<MemoryModel.Rank> ranks = new ArrayList<>();
        for (int rank = 0; rank < winner().strategy().pipeline(); rank++) {
            ranks.add(memory.rank(winner().strategy(), winner().layout(), rank));
        }
        return ranks;
    }

    int layersOfRank(int rank) {
        int layers = 0;
        Strategy s = winner().strategy();
        for (int chunk = 0; chunk < winner().layout().stages() / s.pipeline(); chunk++) {
            layers += winner().layout().layers(s.stage(rank, chunk));
        }
        return layers;
    }
}
