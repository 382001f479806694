package dev.stagesim.feature.trainplan;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.training.Calibration;
import dev.stagesim.sim.training.Confirmation;
import dev.stagesim.sim.training.Finalists;
import dev.stagesim.sim.training.Finalists.Finalist;
import dev.stagesim.sim.training.FlopsDefinition;
import dev.stagesim.sim.training.MemoryModel;
import dev.stagesim.sim.training.NetworkConfirmation;
import dev.stagesim.sim.training.SearchSpace;
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

/** The answer: the best strategies, their pipelines run, and what each choice costs. */
final class TrainingPlan {
    private static final double HOUR = 3600;
    private static final double DAY = 24 * HOUR;
    /** Finalists that are simulated, and how many more where one of them may be better than those. */
    private static final int SIMULATED = 3;

    private static final int MAX_SIMULATED = 8;

    private final TrainPlanSettings settings;
    private final PlanRequest question;
    private final Optional<Calibration> calibration;
    private final StrategySearch.Result result;
    private final Map<String, Long> rejected;
    private final List<Finalist> finalists;
    private final Confirmation pipeline;
    private final Map<Candidate, Optional<NetworkConfirmation>> networks = new LinkedHashMap<>();
    private final List<Change> changes = new ArrayList<>();

    /**
     * The best step when one thing is changed.
     *
     * @param what the change
     * @param best the best strategy then; empty when nothing fits
     */
    record Change(String what, Optional<Finalist> best) {}

    private TrainingPlan(
            TrainPlanSettings settings,
            PlanRequest question,
            Optional<Calibration> calibration,
            StrategySearch.Result result,
            Map<String, Long> rejected) {
        this.settings = settings;
        this.rejected = rejected;
        this.question = question;
        this.calibration = calibration;
        this.result = result;
        List<Finalist> best =
                new ArrayList<>(finalists(result.best(), settings.search().top()));
        double least = Double.MAX_VALUE;
        double ratio = Double.MAX_VALUE;
        for (Finalist finalist : best) {
            double timeline = score(finalist);
            if (networks.size() >= SIMULATED && (networks.size() == MAX_SIMULATED || least <= ratio * timeline)) {
                break;
            }
            Candidate candidate = finalist.candidate();
            networks.put(
                    candidate, NetworkConfirmation.of(candidate, question.model(), question.machine(), question.job()));
            least = Math.min(least, score(finalist));
            ratio = Math.min(ratio, score(finalist) / timeline);
        }
        // Those that no network ran are taken to be as much longer as the least of those that it ran.
        double longer = ratio;
        best.sort(Comparator.comparingDouble(f -> networks.containsKey(f.candidate()) ? score(f) : longer * score(f)));
        finalists = List.copyOf(best);
        pipeline = Confirmation.of(winner(), settings.batch().global());
    }

    /** The objective of a finalist on its network, or on its timeline where it has none. */
    private double score(Finalist finalist) {
        double step =
                network(finalist.candidate()).map(NetworkConfirmation::step).orElse(finalist.step());
        return step
                * question.objective().weight(finalist.candidate().strategy().devices());
    }

    private List<Finalist> finalists(List<Candidate> best, int wanted) {
        return Finalists.of(best, wanted, settings.batch().global(), question.objective());
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
        PlanRequest question =
                calibration.map(fit -> plain.calibrated(fit.factor())).orElse(plain);
        long[] refused = new long[1];
        StrategySearch.Result result = search(settings, question, question.machine(), strategy -> true, refused);
        if (result.best().isEmpty()) {
            throw new NoFeasibleStrategy(
                    noFeasibleStrategy(question, result, refused[0]), rejected(result, refused[0]));
        }
        TrainingPlan plan = new TrainingPlan(settings, question, calibration, result, rejected(result, refused[0]));
        plan.vary();
        return plan;
    }

    /** No strategy keeps the rules and fits the memory: an answer, not a wrong input. */
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
     * Searches the strategies that a framework runs, or all with search.hypothetical.
     *
     * @param refused counts in its first element the strategies that no framework runs
     */
    private static StrategySearch.Result search(
            TrainPlanSettings settings,
            PlanRequest question,
            TrainingMachine machine,
            Predicate<Strategy> allowed,
            long[] refused) {
        return StrategySearch.run(
                question.model(), machine, question.job(), question.space(), question.objective(), strategy -> {
                    if (!allowed.test(strategy)) {
                        return false;
                    }
                    boolean runs = settings.search().hypothetical()
                            || Framework.isAny(new Framework.StrategyRequest(strategy, question.model(), settings));
                    refused[0] += runs ? 0 : 1;
                    return runs;
                });
    }

    /** How many combinations each rule rejected, what does not fit and what no framework runs included. */
    private static Map<String, Long> rejected(StrategySearch.Result result, long refused) {
        Map<String, Long> rejected = new TreeMap<>(result.rejected());
        rejected.put("does_not_fit", result.full());
        rejected.put("no_framework_runs_it", refused);
        return rejected;
    }

    /** The frameworks that can run a candidate. */
    List<Framework> frameworks(Candidate candidate) {
        return Framework.of(new Framework.StrategyRequest(candidate.strategy(), question.model(), settings));
    }

    Map<String, Long> rejected() {
        return rejected;
    }

    private static Problem noFeasibleStrategy(PlanRequest question, StrategySearch.Result result, long refused) {
        String rules = rejected(result, refused).entrySet().stream()
                .filter(rule -> rule.getValue() > 0)
                .map(rule -> rule.getKey().replace('_', ' ') + " (" + rule.getValue() + ")")
                .collect(Collectors.joining(", "));
        boolean isUnsupported = result.visited() == 0 && refused > 0;
        return Problem.of(
                        "check failed",
                        "search",
                        isUnsupported
                                ? "no framework runs any of " + refused + " strategies"
                                : result.visited() == 0
                                        ? "no strategy keeps the rules; violated rules: " + rules
                                        : "none of " + result.visited() + " strategies fits "
                                                + gib(question.space().memory()) + " GiB of "
                                                + question.machine().name())
                .hint(
                        isUnsupported
                                ? "free an axis of search.*, or plan them all the same with search.hypothetical=true"
                                : result.visited() == 0
                                        ? "free an axis of search.*, or change cluster.devices or batch.global"
                                        : smaller(question.space()));
    }

    private static String smaller(SearchSpace space) {
        boolean hasAll = space.recompute().isEmpty() || space.recompute().contains(Recompute.FULL);
        return hasAll
                ? "take more devices, a shorter sequence, or free an axis of search.*"
                : "take more devices, a shorter sequence, or allow full in search.recompute";
    }

    static String gib(double bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / (1L << 30));
    }

    private void vary() {
        Strategy best = winner().strategy();
        axis("tensor parallelism", Strategy::tensor, best.tensor());
        axis("pipeline parallelism", Strategy::pipeline, best.pipeline());
        axis("virtual stages", Strategy::virtual, best.virtual());
        axis("context parallelism", Strategy::context, best.context());
        if (question.model().isMixture()) {
            axis("expert parallelism", Strategy::expert, best.expert());
        }
        axis("ZeRO stage", Strategy::zero, best.zero());
        axis("micro-batch", Strategy::microBatch, best.microBatch());
        axis("recomputation", s -> s.recompute().ordinal(), best.recompute().ordinal());
        changes.add(new Change(
                "half the network",
                bestOn(question.machine().network(question.machine().network() / 2))));
        changes.add(new Change(
                "twice the network",
                bestOn(question.machine().network(question.machine().network() * 2))));
        changes.add(new Change("10 % less compute", bestOn(question.machine().slowed(0.9, 1))));
        changes.add(new Change(
                "10 % less memory bandwidth", bestOn(question.machine().slowed(1, 0.9))));
    }

    private void axis(String name, Function<Strategy, Integer> value, int chosen) {
        StrategySearch.Result other =
                search(settings, question, question.machine(), s -> value.apply(s) != chosen, new long[1]);
        changes.add(new Change(
                name + " other than " + (name.equals("recomputation") ? id(Recompute.values()[chosen]) : chosen),
                first(other)));
    }

    private Optional<Finalist> bestOn(TrainingMachine machine) {
        return first(search(settings, question, machine, any -> true, new long[1]));
    }

    private Optional<Finalist> first(StrategySearch.Result result) {
        return finalists(result.best(), 1).stream().findFirst();
    }

    /** How much worse than the winner a strategy is by the objective, in percent, both on their timelines. */
    double worse(Finalist other) {
        return 100 * (other.score(question.objective()) / finalists.get(0).score(question.objective()) - 1);
    }

    static String id(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    TrainPlanSettings settings() {
        return settings;
    }

    PlanRequest question() {
        return question;
    }

    /** What the user's measured steps say of the device. */
    Optional<Calibration> calibration() {
        return calibration;
    }

    StrategySearch.Result result() {
        return result;
    }

    /** The best by the timelines of their pipelines, the first of them by the network; not all that the search kept. */
    List<Finalist> finalists() {
        return finalists;
    }

    Candidate winner() {
        return finalists.get(0).candidate();
    }

    /** The winner's pipeline, operation by operation. */
    Confirmation pipeline() {
        return pipeline;
    }

    /** A finalist by the collective simulator, where it ran it. */
    Optional<NetworkConfirmation> network(Candidate candidate) {
        return networks.getOrDefault(candidate, Optional.empty());
    }

    /** The exchanges of a stage of the winner, each alone; none where there is no network. */
    Optional<StageCollectives> collectives() {
        return network(winner()).map(NetworkConfirmation::collectives);
    }

    List<StageCollectives.Row> exchanges() {
        return collectives().map(StageCollectives::rows).orElse(List.of());
    }

    List<Change> changes() {
        return changes;
    }

    /** The best, then what is only on the Pareto front, with their rank or 0, and their seconds on the timeline. */
    Map<Finalist, Integer> shown() {
        Map<Finalist, Integer> shown = new LinkedHashMap<>();
        for (Finalist finalist : finalists) {
            shown.put(finalist, shown.size() + 1);
        }
        for (Candidate candidate : result.front()) {
            Finalist other = finalists(List.of(candidate), 1).get(0);
            shown.putIfAbsent(other, 0);
        }
        return shown;
    }

    double tokens() {
        return (double) settings.sequence() * settings.batch().global();
    }

    double tokensPerSecond(Candidate candidate) {
        return tokens() / candidate.step().step();
    }

    /** Utilisation in percent of the dense peak of the products' precision. */
    double utilisation(Candidate candidate, FlopsDefinition definition) {
        Recompute recompute = candidate.strategy().recompute();
        double again = recompute == Recompute.FULL ? 1 : recompute == Recompute.HALF ? 0.5 : 0;
        boolean isLow = settings.precision() != TrainPlanSettings.TrainingPrecision.BF16;
        double flops = definition.perToken(
                question.model(),
                settings.sequence(),
                again,
                question.model().flopsAgain(recompute, isLow, settings.sequence()));
        double peak = question.machine().peak(question.job().precision())
                * candidate.strategy().devices();
        return 100 * flops * tokensPerSecond(candidate) / peak;
    }

    /** Dollars of an hour of a device; 0 where none is known. */
    double price() {
        return settings.cluster()
                .priceUsdHr()
                .or(() -> settings.hardware().priceUsdHrTyp())
                .orElse(0.0);
    }

    double usdPerMillionTokens(Candidate candidate) {
        return price() * candidate.strategy().devices() / HOUR / tokensPerSecond(candidate) * 1e6;
    }

    /** Kilowatt-hours of a step at board power; 0 where none is known. */
    double kwhPerStep(Candidate candidate) {
        return settings.hardware().powerW().orElse(0.0)
                * candidate.strategy().devices()
                * candidate.step().step()
                / HOUR
                / 1e3;
    }

    /** Share of the time that goes into steps that count, with checkpoints as often as suits the failures. */
    double goodput(Candidate candidate) {
        return PlanRequest.failures(settings).goodput(candidate.strategy().devices());
    }

    /** Seconds between checkpoints that lose least. */
    double checkpointInterval(Candidate candidate) {
        return PlanRequest.failures(settings).interval(candidate.strategy().devices());
    }

    /** Days of the whole training, failures included. */
    OptionalDouble days(Candidate candidate) {
        return settings.run().tokens().isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        settings.run().tokens().get() / tokensPerSecond(candidate) / DAY / goodput(candidate));
    }

    /** Memory of every rank of the winner. */
    List<MemoryModel.Rank> ranks() {
        MemoryModel memory = new MemoryModel(question.model(), question.job());
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
