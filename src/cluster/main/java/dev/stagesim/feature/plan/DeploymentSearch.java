package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.DeploymentCandidate.ConfirmedSize;
import dev.stagesim.feature.plan.DeploymentCandidate.SizeEstimate;
import dev.stagesim.feature.plan.DeploymentCandidate.Status;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.model.Count;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.stats.Bisection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoublePredicate;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * Finds the smallest deployments that meet the SLO. Closed-form estimates order the search; only
 * simulations and lower bounds decide.
 *
 * <p>A deployment is first simulated with its predicted number of copies, then with fewer or more until the minimum is found. Deployments whose lower bound exceeds the best size so far are skipped.
 */
final class DeploymentSearch {
    /** Maximum number of batch limits that are simulated per shape. */
    private static final int MAX_LIMITS_PER_SHAPE = 3;

    /**
     * Maximum ratio of the searched load to the requested load. A tie at the first cap is searched up to the second.
     */
    private static final double FIRST_CAP = 4;

    private static final double SECOND_CAP = 64;

    private static final double RAISE = 1.15;
    private static final double MAX_RAISE = 2;
    /** Ratio of max_num_seqs to the P99 of running requests above which the limit has no effect. */
    private static final double AMPLE_SEQS_RATIO = 2;

    /** Maximum violation, as a share of a limit, for which slightly fewer copies are tried. */
    private static final double NEAR_MISS = 0.05;

    private static final int NEAR_COPIES = 2;
    private static final int MAX_SLOWDOWN = 4;
    private static final int SLOWDOWN_STEPS = 8;
    private static final double LOAD_TOLERANCE = 1.04;

    private static final Comparator<DeploymentCandidate> PROMISING = Comparator.<DeploymentCandidate>comparingInt(
                    c -> estimate(c).meetsSlo() ? 0 : 1)
            .thenComparingInt(c -> estimate(c).meetsSlo() ? c.devices() : 0)
            .thenComparingDouble(c -> -estimate(c).loadRatio())
            .thenComparing(DeploymentSearch::engine)
            .thenComparingInt(c -> c.deployment().shape().devices())
            .thenComparingInt(c -> c.deployment().maxNumSeqs())
            .thenComparingInt(c -> c.deployment().maxNumBatchedTokens());

    private final PlanSettings settings;
    private final Slo slo;
    private final SimulationCache simulations;
    private final LongConsumer progress;
    private final List<DeploymentCandidate> done = new ArrayList<>();
    private final List<DeploymentCandidate> leftOut = new ArrayList<>();

    /** Number of simulated deployments that miss the SLO, by the devices of a copy. */
    private final Map<Integer, Integer> misses = new HashMap<>();

    private int best = Integer.MAX_VALUE;
    private boolean isCut;

    DeploymentSearch(PlanSettings settings, Slo slo, SimulationCache simulations, LongConsumer progress) {
        this.settings = settings;
        this.slo = slo;
        this.simulations = simulations;
        this.progress = progress;
    }

    private static SizeEstimate estimate(DeploymentCandidate candidate) {
        return candidate.estimate().orElseThrow();
    }

    /** Returns feasible deployments, cheapest first, followed by all others. */
    List<DeploymentCandidate> run(List<List<DeploymentCandidate>> shapes) {
        List<DeploymentCandidate> open = new ArrayList<>();
        for (List<DeploymentCandidate> shape : shapes) {
            for (DeploymentCandidate candidate : shape) {
                (candidate.estimate().isPresent() ? open : done).add(candidate);
            }
        }
        open.sort(PROMISING);
        untilFeasible(open).forEach(this::visit);
        List<DeploymentCandidate> left = List.copyOf(leftOut);
        leftOut.clear();
        left.forEach(this::revisit);
        return ranked();
    }

    /**
     * Visits deployments until one is feasible, and returns the others. The closed form can be wrong for all deployments
     * with the same devices per copy, so the next one is from the size with the fewest misses.
     */
    private List<DeploymentCandidate> untilFeasible(List<DeploymentCandidate> open) {
        Collection<ArrayDeque<DeploymentCandidate>> sizes = open.stream()
                .collect(Collectors.groupingBy(
                        c -> c.deployment().shape().devices(), Collectors.toCollection(ArrayDeque::new)))
                .values();
        while (best == Integer.MAX_VALUE && !isLimitReached() && !sizes.isEmpty()) {
            ArrayDeque<DeploymentCandidate> next = Collections.min(
                    sizes,
                    Comparator.<ArrayDeque<DeploymentCandidate>>comparingInt(size -> failures(size.element()))
                            .thenComparing(ArrayDeque::element, PROMISING));
            visit(next.remove());
            sizes.removeIf(ArrayDeque::isEmpty);
        }
        return sizes.stream().flatMap(ArrayDeque::stream).sorted(PROMISING).toList();
    }

    /** Returns the simulated misses with the devices of a copy; a predicted miss counts as one. */
    private int failures(DeploymentCandidate candidate) {
        return misses.getOrDefault(candidate.deployment().shape().devices(), 0)
                + (estimate(candidate).meetsSlo() ? 0 : 1);
    }

    /** True if the simulation limit excluded deployments that may be feasible or cheaper. */
    boolean isCut() {
        return isCut;
    }

    /**
     * Simulates further batch limits of a shape if simulations remain, and they are predicted to need fewer devices or
     * nothing is feasible.
     */
    private void revisit(DeploymentCandidate candidate) {
        boolean haveSameSchedule = sameShape(candidate).stream().anyMatch(c -> haveSameSchedule(c, candidate));
        boolean isUseful = best == Integer.MAX_VALUE || isPromising(candidate);
        if (!isUseful) {
            leaveOut(candidate, "better predictions were simulated");
        } else if (haveSameSchedule) {
            leaveOut(candidate, "the same schedule was simulated");
        } else if (isLimitReached()) {
            isCut = true;
            leaveOut(candidate, "search.simulations was reached");
        } else {
            done.add(confirm(candidate));
        }
    }

    private boolean isLimitReached() {
        return simulations.count() >= settings.search().simulations();
    }

    private void leaveOut(DeploymentCandidate candidate, String why) {
        done.add(candidate.with(
                Status.NOT_SIMULATED,
                estimate(candidate).meetsSlo()
                        ? "predicted to need " + Count.of(candidate.devices(), "device") + "; " + why
                        : "predicted to miss the SLO; " + why));
    }

    /** Returns the best deployment by estimates alone; its estimates replace the simulation results. */
    static Optional<DeploymentCandidate> promising(List<List<DeploymentCandidate>> shapes, double load) {
        return shapes.stream()
                .flatMap(List::stream)
                .filter(c -> c.estimate().filter(SizeEstimate::meetsSlo).isPresent())
                .min(PROMISING)
                .map(c -> predicted(c, load));
    }

    /** Returns a candidate as winner; its estimates replace the simulation results. */
    static DeploymentCandidate predicted(DeploymentCandidate candidate, double load) {
        return candidate.with(Status.WINNER, "by estimate", predictedSize(estimate(candidate), load));
    }

    private static ConfirmedSize predictedSize(SizeEstimate estimate, double load) {
        Map<String, Double> metrics = Map.of("ttft_p99_ms", estimate.ttftMs(), "tpot_p99_ms", estimate.tpotMs());
        DeploymentResult result = new DeploymentResult(load, true, metrics, AdmissionLimit.NONE, true, 0, 0, 1);
        return new ConfirmedSize(
                estimate.replicas(), result, load * Math.min(FIRST_CAP, estimate.loadRatio()), false, 0);
    }

    private void visit(DeploymentCandidate candidate) {
        if (candidate.minDevices() > best) {
            done.add(candidate.with(
                    Status.MORE_EXPENSIVE, "needs at least " + candidate.minDevices() + " devices, by a lower bound"));
        } else if (isLeftOut(candidate)) {
            leftOut.add(candidate);
        } else {
            done.add(confirm(candidate));
        }
    }

    /** Returns the simulated deployments with the shape of a candidate. */
    private List<DeploymentCandidate> sameShape(DeploymentCandidate candidate) {
        return done.stream()
                .filter(c -> c.confirmed().isPresent()
                        && c.deployment().shape().equals(candidate.deployment().shape()))
                .toList();
    }

    /** True if the closed form predicts fewer devices than the best deployment so far. */
    private boolean isPromising(DeploymentCandidate candidate) {
        return candidate.devices() < best && estimate(candidate).meetsSlo();
    }

    /** True if enough feasible deployments were found, including one with the same engine. */
    private boolean hasFinalists(DeploymentCandidate candidate) {
        return done.stream().filter(DeploymentCandidate::isFeasible).anyMatch(c -> engine(c)
                        .equals(engine(candidate)))
                && done.stream().filter(DeploymentCandidate::isFeasible).count()
                        >= settings.search().finalists();
    }

    /**
     * True if the candidate should not be simulated now. A shape without any simulation is left out only if its lower
     * bound excludes a cheaper result or no simulations remain, because the closed form may be pessimistic.
     */
    private boolean isLeftOut(DeploymentCandidate candidate) {
        List<DeploymentCandidate> sameShape = sameShape(candidate);
        boolean isNoBetter = !isPromising(candidate);
        boolean mayBeCheaper = sameShape.isEmpty() && candidate.minDevices() < best;
        return isLimitReached()
                || sameShape.size() >= MAX_LIMITS_PER_SHAPE
                || sameShape.stream().anyMatch(c -> haveSameSchedule(c, candidate))
                || (isNoBetter && sameShape.stream().anyMatch(DeploymentCandidate::isFeasible))
                || (isNoBetter && !mayBeCheaper && hasFinalists(candidate));
    }

    /** True if two batch limits of a shape give the same schedule, because neither limit is reached. */
    static boolean haveSameSchedule(DeploymentCandidate first, DeploymentCandidate second) {
        if (!estimate(second).meetsSlo()) {
            return false;
        }
        int seqs = Math.min(first.deployment().maxNumSeqs(), second.deployment().maxNumSeqs());
        return first.deployment().maxNumBatchedTokens() == second.deployment().maxNumBatchedTokens()
                && seqs > AMPLE_SEQS_RATIO * estimate(second).state().peakRunning();
    }

    private static String engine(DeploymentCandidate candidate) {
        return candidate.deployment().shape().engine();
    }

    private DeploymentResult result(DeploymentCandidate candidate, int replicas) {
        progress.accept(simulations.count());
        return simulations.of(candidate.replica().orElseThrow(), candidate.deployment(), replicas, settings.load());
    }

    private DeploymentCandidate confirm(DeploymentCandidate candidate) {
        int devices = candidate.deployment().shape().devices();
        boolean isChallenge = !isPromising(candidate) && hasFinalists(candidate);
        int max = Math.min(settings.search().maxReplicas(), (isChallenge ? best - 1 : best) / devices);
        // One simulation with the maximum useful number of copies decides whether a candidate without predicted benefit
        // is cheaper.
        int from = best < Integer.MAX_VALUE && !isPromising(candidate)
                ? max
                : Math.max(
                        estimate(candidate).minReplicas(),
                        Math.min(estimate(candidate).replicas(), max));
        ConfirmedSize confirmed =
                result(candidate, from).meetsSlo() ? fewer(candidate, from) : more(candidate, from, max);
        confirmed = retryFewer(candidate, confirmed);
        int needed = confirmed.replicas() * devices;
        if (!confirmed.result().meetsSlo()) {
            boolean isLimited = best < Integer.MAX_VALUE;
            misses.merge(devices, 1, Integer::sum);
            return candidate.with(
                    isLimited ? Status.MORE_EXPENSIVE : Status.SLO_MISSED,
                    "with " + Count.of(needed, "device") + ": " + describeFailure(slo, confirmed.result()),
                    confirmed);
        }
        best = Math.min(best, needed);
        return candidate.with(Status.FEASIBLE, "meets the SLO with " + Count.of(needed, "device"), confirmed);
    }

    /** Returns the minimum number of copies up to {@code from} that meets the SLO. {@code from} copies meet it. */
    private ConfirmedSize fewer(DeploymentCandidate candidate, int from) {
        int high = from;
        int low = estimate(candidate).minReplicas() - 1;
        for (int step = 1; high - step > low; step *= 2) {
            if (!result(candidate, high - step).meetsSlo()) {
                low = high - step;
            } else {
                high -= step;
            }
        }
        return between(candidate, low, high);
    }

    /**
     * Returns the minimum number of copies that meets the SLO. {@code from} copies miss it. If no number up to
     * {@code max} meets it, the result is the last number tried.
     */
    private ConfirmedSize more(DeploymentCandidate candidate, int from, int max) {
        int low = from;
        for (int step = 1; low < max; step *= 2) {
            int next = Math.min(max, low + step);
            DeploymentResult before = result(candidate, low);
            DeploymentResult result = result(candidate, next);
            if (result.meetsSlo()) {
                return between(candidate, low, next);
            }
            low = next;
            if (result.isFutile(before, slo) || isLimitReached()) {
                break;
            }
        }
        return new ConfirmedSize(low, result(candidate, low));
    }

    /**
     * Tries slightly fewer copies after a near miss. A round robin over fewer copies distributes the requests
     * differently, so a percentile may rise with the copies by chance.
     */
    private ConfirmedSize retryFewer(DeploymentCandidate candidate, ConfirmedSize from) {
        int missed = from.result().meetsSlo() ? from.replicas() - 1 : from.replicas();
        int minReplicas = Math.max(estimate(candidate).minReplicas(), missed - NEAR_COPIES);
        if (missed <= minReplicas || slo.margin(result(candidate, missed).metrics()) < -NEAR_MISS) {
            return from;
        }
        for (int copies = missed - 1; copies >= minReplicas; copies--) {
            DeploymentResult result = result(candidate, copies);
            if (result.meetsSlo()) {
                return retryFewer(candidate, new ConfirmedSize(copies, result));
            }
        }
        return from;
    }

    private ConfirmedSize between(DeploymentCandidate candidate, int fails, int meetsSlo) {
        int copies = Bisection.smallest(
                fails, meetsSlo, middle -> result(candidate, middle).meetsSlo());
        return new ConfirmedSize(copies, result(candidate, copies));
    }

    /** Describes why a simulation failed. */
    static String describeFailure(Slo slo, DeploymentResult result) {
        String seeds = result.seedsSatisfied() > 0
                ? "satisfied with " + result.seedsSatisfied() + " of " + result.seeds() + " seeds; "
                : "";
        return seeds
                + (result.keepsUp()
                        ? String.join(
                                ", ",
                                slo.violated(result.metrics()).stream()
                                        .map(bound -> Slo.measured(bound, result.metrics()))
                                        .toList())
                        : "requests pile up");
    }

    private List<DeploymentCandidate> ranked() {
        List<DeploymentCandidate> others =
                done.stream().filter(c -> !c.isFeasible()).toList();
        List<DeploymentCandidate> confirmed =
                done.stream().filter(DeploymentCandidate::isFeasible).toList();
        // A dominated deployment cannot win, so its maximum load is not searched.
        List<double[]> objectives = confirmed.stream().map(this::objectives).toList();
        Map<Boolean, List<DeploymentCandidate>> onFront = confirmed.stream()
                .filter(c -> c.devices() == best)
                .collect(Collectors.partitioningBy(c -> DeploymentResult.FRONT
                        .dominator(objectives(c), objectives)
                        .isEmpty()));
        List<DeploymentCandidate> cheapest = withHeadroom(onFront.getOrDefault(true, List.of()), FIRST_CAP);
        if (cheapest.stream().filter(DeploymentSearch::isOpen).count() > 1) {
            cheapest = withHeadroom(cheapest, SECOND_CAP);
        }
        List<DeploymentCandidate> ranked = new ArrayList<>(cheapest);
        ranked.addAll(onFront.getOrDefault(false, List.of()));
        confirmed.stream()
                .filter(c -> c.devices() > best)
                .map(c -> c.with(Status.FEASIBLE, "meets the SLO, but needs " + c.devices() + " devices"))
                .forEach(ranked::add);
        List<double[]> all = ranked.stream().map(this::objectives).toList();
        boolean isClosed = settings.closedLoop().isPresent();
        ranked.sort(Comparator.comparingInt(DeploymentCandidate::devices)
                .thenComparingDouble(
                        c -> isClosed ? -c.confirmed().orElseThrow().result().rate(true) : 0)
                .thenComparing(c ->
                        DeploymentResult.FRONT.dominator(objectives(c), all).isPresent())
                .thenComparingDouble(c -> -c.confirmed().orElseThrow().maxLoad())
                .thenComparingDouble(
                        c -> -slo.margin(c.confirmed().orElseThrow().result().metrics())));
        if (!ranked.isEmpty()) {
            ranked.set(0, withFewer(ranked.get(0)));
        }
        ranked.addAll(others);
        return ranked;
    }

    private double[] objectives(DeploymentCandidate candidate) {
        DeploymentResult result = candidate.confirmed().orElseThrow().result();
        return result.objectives(
                candidate.devices() / result.rate(settings.closedLoop().isPresent()));
    }

    private static boolean isOpen(DeploymentCandidate candidate) {
        return candidate.confirmed().orElseThrow().isOpen();
    }

    /** Searches the maximum load of deployments that were not searched yet or that reached the previous cap. */
    private List<DeploymentCandidate> withHeadroom(List<DeploymentCandidate> candidates, double cap) {
        return candidates.parallelStream()
                .map(c -> c.confirmed().orElseThrow().maxLoad() == 0 || isOpen(c) ? withHeadroom(c, cap) : c)
                .toList();
    }

    private DeploymentCandidate withHeadroom(DeploymentCandidate candidate, double cap) {
        ConfirmedSize before = candidate.confirmed().orElseThrow();
        if (before.result().isQueued()) {
            return candidate.with(
                    Status.FEASIBLE,
                    "meets the SLO with the same number of devices; requests wait in its queue",
                    new ConfirmedSize(before.replicas(), before.result(), settings.load(), false, 0));
        }
        double from = Math.max(1, before.maxLoad() / settings.load());
        double first = Math.max(RAISE * from, estimate(candidate).loadRatio());
        double ratio = maxLoadRatio(from, first, cap, factor -> meetsSlo(candidate, factor));
        ConfirmedSize confirmed =
                new ConfirmedSize(before.replicas(), before.result(), ratio * settings.load(), ratio >= cap, 0);
        return candidate.with(Status.FEASIBLE, "meets the SLO with the same number of devices", confirmed);
    }

    /** Adds the number of seeds that meet the SLO with one copy fewer. */
    private DeploymentCandidate withFewer(DeploymentCandidate candidate) {
        ConfirmedSize confirmed = candidate.confirmed().orElseThrow();
        int fewer = confirmed.replicas() == 1
                ? 0
                : simulations
                        .ofEverySeed(
                                candidate.replica().orElseThrow(),
                                candidate.deployment(),
                                confirmed.replicas() - 1,
                                settings.load())
                        .seedsSatisfied();
        return candidate.with(
                Status.WINNER,
                "lowest number of devices, then best latency, load and margin",
                new ConfirmedSize(
                        confirmed.replicas(), confirmed.result(), confirmed.maxLoad(), confirmed.isOpen(), fewer));
    }

    /**
     * Returns the maximum feasible load divided by the requested load, within a few percent.
     *
     * @param from a feasible ratio
     * @param first the first ratio to try, above {@code from}
     * @param cap maximum ratio to search
     */
    private static double maxLoadRatio(double from, double first, double cap, DoublePredicate meetsSlo) {
        double low = from;
        double high = Math.min(cap, first);
        double raise = RAISE;
        while (meetsSlo.test(high)) {
            low = high;
            if (high >= cap) {
                return cap;
            }
            raise = Math.min(MAX_RAISE, raise * raise);
            high = Math.min(cap, high * raise);
        }
        while (high / low > LOAD_TOLERANCE) {
            double middle = Math.max(Math.sqrt(low * high), high / RAISE);
            if (meetsSlo.test(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Searches the maximum load from the requested one; {@code meetsSlo} takes the ratio of the loads. */
    static void searchLoads(DoublePredicate meetsSlo) {
        maxLoadRatio(1, RAISE, FIRST_CAP, meetsSlo);
    }

    private boolean meetsSlo(DeploymentCandidate candidate, double factor) {
        ReplicaModel replica = candidate.replica().orElseThrow();
        DeploymentResult result =
                simulations.of(replica, candidate.deployment(), candidate.replicas(), factor * settings.load());
        return result.meetsSlo() && !result.isQueued();
    }

    /** Returns the number of copies that is required if all steps take longer by a factor. */
    ServingPlan.Slowdown slowdown(DeploymentCandidate candidate, String when, double factor) {
        ReplicaModel replica = candidate.replica().orElseThrow();
        int max = Math.min(settings.search().maxReplicas(), MAX_SLOWDOWN * candidate.replicas());
        for (int replicas = candidate.replicas(); replicas <= max; replicas += Math.max(1, replicas / SLOWDOWN_STEPS)) {
            if (simulations
                    .of(replica, candidate.deployment(), replicas, settings.load(), factor)
                    .meetsSlo()) {
                return new ServingPlan.Slowdown(when, factor, replicas);
            }
        }
        return new ServingPlan.Slowdown(when, factor, 0);
    }

    static Optional<DeploymentCandidate> winner(List<DeploymentCandidate> ranked) {
        return ranked.stream().filter(c -> c.status() == Status.WINNER).findFirst();
    }
}
