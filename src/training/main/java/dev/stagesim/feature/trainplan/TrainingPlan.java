package dev.stagesim.feature.trainplan;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
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
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The best strategies with their simulated pipelines, and the cost of each choice. */
final class TrainingPlan {
    /** Maximum factor of the number of devices that an error recommends. */
    private static final int MAX_GROWTH = 64;

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
    /** Network simulations; empty for a finalist without communication, whose timeline is complete. */
    private final Map<Finalist, Optional<NetworkConfirmation>> networks = new LinkedHashMap<>();

    private final List<Change> changes = new ArrayList<>();

    /**
     * The best step after one change.
     *
     * @param what description of the change
     * @param best best strategy after the change with its step on the network; empty if none is feasible
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
        finalists = new ArrayList<>(finalists(result.best(), settings.search().top()));
        simulateBest();
        admitAlternatives();
        pipeline = SimulatedPipeline.of(winner(), settings.batch().global());
        evaluateChanges();
    }

    /** Simulates finalists in the order of their timelines until the remaining ones are expected to be slower than the two best. */
    private void simulateBest() {
        double second = Double.MAX_VALUE;
        double minSlowdown = Double.MAX_VALUE;
        for (Finalist finalist : List.copyOf(finalists)) {
            double timeline = finalist.score(request.objective());
            if (networks.size() >= SIMULATED
                    && (networks.size() == MAX_SIMULATED || second <= minSlowdown * timeline)) {
                break;
            }
            networks.put(finalist, confirm(finalist, request.machine()));
            minSlowdown = Math.min(minSlowdown, score(finalist) / timeline);
            rank();
            second = secondScore();
        }
    }

    /** Ranks simulated finalists by the network, and the others after them by their timelines. */
    private void rank() {
        finalists.sort(Comparator.comparing((Finalist f) -> !isSimulated(f)).thenComparingDouble(this::score));
    }

    private double secondScore() {
        return score(finalists.get(Math.min(1, finalists.size() - 1)));
    }

    private Optional<NetworkConfirmation> confirm(Finalist finalist, TrainingMachine machine) {
        return NetworkConfirmation.of(finalist.candidate(), request.model(), machine, request.job());
    }

    boolean isSimulated(Finalist finalist) {
        return networks.containsKey(finalist);
    }

    /** Returns the step time of a finalist on its network, or on its timeline if its network was not simulated. */
    double simulated(Finalist finalist) {
        return network(finalist).map(NetworkConfirmation::step).orElse(finalist.step());
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
                    noFeasibleStrategy(settings, request, result, unsupported[0]), rejected(result, unsupported[0]));
        }
        return new TrainingPlan(settings, request, calibration, result, rejected(result, unsupported[0]));
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

    /** Returns the smallest number of devices that has a feasible strategy, doubling the tried numbers; empty if none has. */
    private static OptionalInt sufficientDevices(TrainPlanSettings settings, PlanRequest request) {
        int tried = request.space().devices().stream()
                .mapToInt(count -> count)
                .max()
                .orElseThrow();
        return IntStream.iterate(2 * tried, count -> count <= MAX_GROWTH * tried, count -> 2 * count)
                .filter(count -> {
                    TrainPlanSettings.SearchSettings search = KeyRecord.with(
                            TrainPlanSettings.SearchSettings.class,
                            settings.search(),
                            Map.of("devices", List.of(count)));
                    TrainPlanSettings larger =
                            KeyRecord.with(TrainPlanSettings.class, settings, Map.of("search", search));
                    PlanRequest wider = PlanRequest.of(larger);
                    return !search(larger, wider, wider.machine(), strategy -> true, new long[1])
                            .best()
                            .isEmpty();
                })
                .findFirst();
    }

    private static Problem noFeasibleStrategy(
            TrainPlanSettings settings, PlanRequest request, StrategySearch.Result result, long unsupported) {
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
                                        : smaller(sufficientDevices(settings, request), request.space()));
    }

    private static String smaller(OptionalInt devices, SearchSpace space) {
        boolean hasAll = space.recompute().isEmpty() || space.recompute().contains(Recompute.FULL);
        String more = devices.isPresent()
                ? "a strategy fits " + devices.getAsInt() + " devices: set cluster.devices=" + devices.getAsInt()
                        + ", use a shorter sequence, or "
                : "use more devices or a shorter sequence, or ";
        return more + (hasAll ? "remove a restriction in search.*" : "allow full in search.recompute");
    }

    static String gib(double bytes) {
        return String.format(Locale.ROOT, "%.1f", bytes / (1L << 30));
    }

    /** A choice of the winner. */
    private record Axis(String name, Function<Strategy, Object> value) {
        Predicate<Strategy> other(Strategy chosen) {
            return strategy -> !value.apply(strategy).equals(value.apply(chosen));
        }
    }

    private List<Axis> axes() {
        List<Axis> axes = new ArrayList<>(List.of(
                new Axis("tensor parallelism", Strategy::tensor),
                new Axis("pipeline parallelism", Strategy::pipeline),
                new Axis("virtual stages", Strategy::virtual),
                new Axis("context parallelism", Strategy::context)));
        if (request.model().isMixture()) {
            axes.add(new Axis("expert parallelism", Strategy::expert));
        }
        axes.addAll(List.of(
                new Axis("ZeRO stage", Strategy::zero),
                new Axis("micro-batch", Strategy::microBatch),
                new Axis("recomputation", strategy -> KeyNames.constant(strategy.recompute()))));
        return axes;
    }

    /** Simulates the best strategy without each choice of the winner. An alternative that is faster becomes the winner. */
    private void admitAlternatives() {
        Candidate before;
        do {
            before = winner();
            for (Axis axis : axes()) {
                finalists(
                                searchOn(request.machine(), axis.other(before.strategy()))
                                        .best(),
                                1)
                        .forEach(this::admit);
            }
        } while (!winner().equals(before));
    }

    /** Simulates an alternative. It is a finalist if it is better than the second. */
    private void admit(Finalist alternative) {
        networks.computeIfAbsent(alternative, added -> confirm(added, request.machine()));
        if (!finalists.contains(alternative) && score(alternative) < secondScore()) {
            finalists.add(alternative);
        }
        rank();
        finalists
                .subList(Math.min(finalists.size(), settings.search().top()), finalists.size())
                .clear();
    }

    private void evaluateChanges() {
        Strategy chosen = winner().strategy();
        for (Axis axis : axes()) {
            changes.add(new Change(
                    axis.name() + " other than " + axis.value().apply(chosen), bestSimulated(axis.other(chosen))));
        }
        TrainingMachine machine = request.machine();
        changes.add(new Change("half the network", bestOn(machine.network(machine.network() / 2))));
        changes.add(new Change("twice the network", bestOn(machine.network(machine.network() * 2))));
        changes.add(new Change("10 % less compute", bestOn(machine.slowed(0.9, 1))));
        changes.add(new Change("10 % less memory bandwidth", bestOn(machine.slowed(1, 0.9))));
    }

    private StrategySearch.Result searchOn(TrainingMachine machine, Predicate<Strategy> allowed) {
        return search(settings, request, machine, allowed, new long[1]);
    }

    /** Returns the best on the network of another machine: of the first strategies by timeline, and of the winner's strategy. */
    private Optional<Finalist> bestOn(TrainingMachine machine) {
        Predicate<Strategy> isWinner = winner().strategy()::equals;
        return Stream.concat(
                        finalists(searchOn(machine, any -> true).best(), SIMULATED).stream(),
                        finalists(searchOn(machine, isWinner).best(), 1).stream())
                .map(f -> new Finalist(
                        f.candidate(),
                        confirm(f, machine).map(NetworkConfirmation::step).orElse(f.step())))
                .min(byScore());
    }

    private Comparator<Finalist> byScore() {
        return Comparator.comparingDouble(finalist -> finalist.score(request.objective()));
    }

    /** Returns the increase of the objective by a change relative to the winner in percent, both on their networks. */
    double worse(Finalist changed) {
        return 100 * (changed.score(request.objective()) / score(finalists.get(0)) - 1);
    }

    /** Returns the second strategy with its step on the network; empty if no other one fits. */
    Optional<Finalist> second() {
        return bestSimulated(strategy -> !strategy.equals(winner().strategy()));
    }

    private Optional<Finalist> bestSimulated(Predicate<Strategy> allowed) {
        return networks.keySet().stream()
                .filter(f -> allowed.test(f.candidate().strategy()))
                .map(f -> new Finalist(f.candidate(), simulated(f)))
                .min(byScore());
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

    /** Returns the finalists: first the simulated ones in the order of the network, then the others in the order of their timelines. */
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
    Optional<NetworkConfirmation> network(Finalist finalist) {
        return networks.getOrDefault(finalist, Optional.empty());
    }

    /** Returns the simulated collectives of a stage of the winner; empty without a network. */
    Optional<StageCollectives> collectives() {
        return network(finalists.get(0)).map(NetworkConfirmation::collectives);
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
