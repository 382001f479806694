package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.DeploymentCandidate.ConfirmedSize;
import dev.stagesim.feature.plan.DeploymentCandidate.SizeEstimate;
import dev.stagesim.feature.plan.DeploymentCandidate.Status;
import dev.stagesim.feature.plan.PlanSettings.PlanGoal;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.report.Numbers;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Finds the deployment with the highest throughput per device, or with the lowest latency at a load, for a fixed number
 * of copies. Closed-form estimates order the search; only simulations decide.
 */
final class GoalSearch {
    private static final String E2E = "e2e_p99_ms";
    private static final int DIGITS = 3;

    /** Maximum number of batch limits that are simulated per shape. */
    private static final int MAX_LIMITS_PER_SHAPE = 2;

    private static final double RAISE = 1.3;
    private static final double TOLERANCE = 1.02;

    /** Ratio of predictions above which the better one is trusted. */
    private static final double MARGIN = 1.25;

    /** Lowest load, relative to the prediction, at which a deployment is simulated. */
    private static final double MIN_SHARE = 1.0 / 64;

    private final PlanSettings settings;
    private final double output;
    private final Slo slo;
    private final SimulationCache simulations;
    private final LongConsumer progress;
    private final boolean isThroughput;
    private final List<DeploymentCandidate> done = new ArrayList<>();
    private boolean isCut;

    /** @param output mean output length in tokens */
    GoalSearch(PlanSettings settings, double output, Slo slo, SimulationCache simulations, LongConsumer progress) {
        this.settings = settings;
        this.output = output;
        this.slo = slo;
        this.simulations = simulations;
        this.progress = progress;
        isThroughput = settings.goal() == PlanGoal.THROUGHPUT;
    }

    /** Returns feasible deployments, best first, followed by all others. */
    List<DeploymentCandidate> run(List<List<DeploymentCandidate>> shapes) {
        List<DeploymentCandidate> open = new ArrayList<>();
        shapes.forEach(shape -> shape.forEach(c -> (c.estimate().isPresent() ? open : done).add(c)));
        open.sort(promising(settings, output));
        open.forEach(this::visit);
        List<DeploymentCandidate> ranked = new ArrayList<>(
                done.stream().filter(DeploymentCandidate::isFeasible).toList());
        ranked.sort(Comparator.<DeploymentCandidate>comparingDouble(c -> cost(c, result(c)))
                .thenComparingDouble(c -> -slo.margin(result(c).metrics())));
        if (!ranked.isEmpty()) {
            ranked.set(0, ranked.get(0).with(Status.WINNER, "best for the goal"));
        }
        done.stream().filter(c -> !c.isFeasible()).forEach(ranked::add);
        return ranked;
    }

    /** Returns the best deployment by estimates alone; its estimates replace the simulation results. */
    static Optional<DeploymentCandidate> promising(
            PlanSettings settings, double output, List<List<DeploymentCandidate>> shapes) {
        return shapes.stream()
                .flatMap(List::stream)
                .filter(c -> c.estimate().filter(SizeEstimate::meetsSlo).isPresent())
                .min(promising(settings, output))
                .map(c -> DeploymentSearch.predicted(
                        c,
                        searchesLoad(settings)
                                ? settings.load() * c.estimate().orElseThrow().loadRatio()
                                : settings.load()));
    }

    /** Orders deployments by the closed form, the better one first. */
    private static Comparator<DeploymentCandidate> promising(PlanSettings settings, double output) {
        return Comparator.<DeploymentCandidate>comparingInt(
                        c -> c.estimate().orElseThrow().meetsSlo() ? 0 : 1)
                .thenComparingDouble(c -> predicted(settings, output, c))
                .thenComparing(c -> c.deployment().shape().engine())
                .thenComparing(c -> c.deployment().shape().words())
                .thenComparingInt(c -> c.deployment().maxNumSeqs())
                .thenComparingInt(c -> c.deployment().maxNumBatchedTokens());
    }

    private static double predicted(PlanSettings settings, double output, DeploymentCandidate candidate) {
        SizeEstimate estimate = candidate.estimate().orElseThrow();
        return settings.goal() == PlanGoal.THROUGHPUT
                ? -estimate.loadRatio() / candidate.devices()
                : estimate.ttftMs() + estimate.tpotMs() * output;
    }

    /** True if the load is a result of the plan. */
    static boolean searchesLoad(PlanSettings settings) {
        return settings.goal() == PlanGoal.THROUGHPUT && settings.closedLoop().isEmpty();
    }

    private static DeploymentResult result(DeploymentCandidate candidate) {
        return candidate.confirmed().orElseThrow().result();
    }

    /** Returns the value to minimise. */
    private double cost(DeploymentCandidate candidate, DeploymentResult result) {
        return isThroughput
                ? -result.rate(settings.closedLoop().isPresent()) / candidate.devices()
                : result.metrics().getOrDefault(E2E, Double.POSITIVE_INFINITY);
    }

    private Optional<DeploymentCandidate> best() {
        return done.stream()
                .filter(DeploymentCandidate::isFeasible)
                .min(Comparator.comparingDouble(c -> cost(c, result(c))));
    }

    /** True if the simulation limit excluded deployments that may be feasible or better. */
    boolean isCut() {
        return isCut;
    }

    private void visit(DeploymentCandidate candidate) {
        List<DeploymentCandidate> sameShape = done.stream()
                .filter(c -> c.confirmed().isPresent()
                        && c.deployment().shape().equals(candidate.deployment().shape()))
                .toList();
        boolean isKnown = sameShape.stream().anyMatch(c -> DeploymentSearch.haveSameSchedule(c, candidate));
        boolean isLimitReached = simulations.count() >= settings.search().simulations();
        if (isKnown || isClearlyWorse(candidate) || sameShape.size() >= MAX_LIMITS_PER_SHAPE) {
            done.add(candidate.with(Status.NOT_SIMULATED, "better predictions were simulated"));
        } else if (isLimitReached) {
            isCut = true;
            done.add(candidate.with(Status.NOT_SIMULATED, "search.simulations was reached"));
        } else {
            done.add(searchesLoad(settings) ? withHighestLoad(candidate) : at(candidate, settings.load()));
        }
    }

    /**
     * True if enough deployments were compared, one with the same engine included, and the prediction is clearly worse than
     * that of a feasible one. A deployment that misses the load of the best one was compared as well.
     */
    private boolean isClearlyWorse(DeploymentCandidate candidate) {
        List<DeploymentCandidate> feasible =
                done.stream().filter(DeploymentCandidate::isFeasible).toList();
        List<DeploymentCandidate> compared = done.stream()
                .filter(c -> c.isFeasible() || c.status() == Status.WORSE)
                .toList();
        boolean hasEngine = compared.stream().anyMatch(c -> c.deployment()
                .shape()
                .engine()
                .equals(candidate.deployment().shape().engine()));
        double best = feasible.stream()
                .mapToDouble(c -> predicted(settings, output, c))
                .min()
                .orElse(0);
        double value = predicted(settings, output, candidate);
        return hasEngine
                && !feasible.isEmpty()
                && compared.size() >= settings.search().finalists()
                && (!candidate.estimate().orElseThrow().meetsSlo()
                        || (isThroughput ? MARGIN * value > best : value > MARGIN * best));
    }

    private DeploymentResult simulate(DeploymentCandidate candidate, double load) {
        progress.accept(simulations.count());
        return simulations.of(candidate.replica().orElseThrow(), candidate.deployment(), candidate.replicas(), load);
    }

    /** Rounds a load to few digits, because it is the result of the plan. */
    private static double rounded(double load) {
        return new BigDecimal(load).round(new MathContext(DIGITS)).doubleValue();
    }

    private DeploymentCandidate at(DeploymentCandidate candidate, double load) {
        DeploymentResult result = simulate(candidate, load);
        ConfirmedSize size = new ConfirmedSize(candidate.replicas(), result);
        return result.meetsSlo()
                ? candidate.with(Status.FEASIBLE, "meets the SLO", size)
                : candidate.with(Status.SLO_MISSED, DeploymentSearch.describeFailure(slo, result), size);
    }

    /** Finds the highest load that meets the SLO. A deployment that misses it at the best load per device is not better. */
    private DeploymentCandidate withHighestLoad(DeploymentCandidate candidate) {
        double predicted = rounded(candidate.estimate().orElseThrow().loadRatio() * settings.load());
        Optional<DeploymentCandidate> best = best();
        double low = 0;
        double high = 0;
        double load = predicted;
        if (best.isPresent()) {
            load = candidate.devices() * result(best.get()).load() / best.get().devices();
            DeploymentResult result = simulate(candidate, load);
            if (!result.meetsSlo()) {
                return candidate.with(
                        Status.WORSE,
                        "at " + Numbers.significant(load, DIGITS) + " requests/s: "
                                + DeploymentSearch.describeFailure(slo, result),
                        new ConfirmedSize(candidate.replicas(), result));
            }
            low = load;
            load = rounded(load * RAISE);
        }
        while (low == 0 || high == 0 || high / low > TOLERANCE) {
            if (simulate(candidate, load).meetsSlo()) {
                low = load;
            } else {
                high = load;
            }
            if (low == 0 && load < MIN_SHARE * predicted) {
                return at(candidate, load);
            }
            load = rounded(low == 0 ? load / RAISE : high == 0 ? load * RAISE : Math.sqrt(low * high));
        }
        ConfirmedSize size = new ConfirmedSize(candidate.replicas(), simulate(candidate, low), low, false, 0);
        return candidate.with(Status.FEASIBLE, "meets the SLO up to this load", size);
    }

    /** Returns the sentence part that names the goal and the value reached. */
    static String words(ServingPlan plan, DeploymentCandidate winner) {
        DeploymentResult result = result(winner);
        return switch (plan.settings().goal()) {
            case CHEAPEST -> "";
            case THROUGHPUT ->
                "Highest throughput per device, "
                        + Numbers.significant(plan.tokensPerDevice(plan.rate(result), winner.devices()), DIGITS)
                        + " output tokens/s: ";
            case LATENCY ->
                "Lowest latency, P99 E2E "
                        + Numbers.significant(result.metrics().getOrDefault(E2E, Double.NaN), DIGITS) + " ms: ";
        };
    }

    /** Returns the load of the plan: the highest load of the winner, if the goal is throughput. */
    static PlanSettings settled(PlanSettings settings, List<DeploymentCandidate> ranked) {
        return searchesLoad(settings)
                ? DeploymentSearch.winner(ranked)
                        .map(winner -> settings.at(winner.load(settings.load())))
                        .orElse(settings)
                : settings;
    }
}
