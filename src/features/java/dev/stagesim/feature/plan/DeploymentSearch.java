package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.DeploymentCandidate.ConfirmedSize;
import dev.stagesim.feature.plan.DeploymentCandidate.SizeEstimate;
import dev.stagesim.feature.plan.DeploymentCandidate.Status;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.model.Count;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.AdmissionLimit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Finds the deployments with the fewest devices that hold the service level: estimates order them, simulations decide.
 *
 * <p>A deployment is simulated with the copies that should do, then with fewer or more, until the least number that holds is
 * known. What cannot do with as few devices as the best so far is left out.
 */
final class DeploymentSearch {
    /** Limits of a batch that are simulated of a shape. */
    private static final int MAX_LIMITS_PER_SHAPE = 3;

    /** Maximum ratio of the searched load to the requested one; a tie at the first is searched up to the second. */
    private static final double FIRST_CAP = 4;

    private static final double SECOND_CAP = 64;

    private static final double RAISE = 1.15;
    private static final double MAX_RAISE = 2;
    /** Beside those that run in one state of a hundred, a limit that none meets. */
    private static final double AMPLE = 2;

    /** Violation of the service level, as a share of a limit, after which fewer copies are tried; and how many fewer. */
    private static final double NEAR_MISS = 0.05;

    private static final int NEAR_COPIES = 2;
    private static final int MAX_SLOWDOWN = 4;
    private static final int FINE = 8;
    private static final double NEAR = 1.04;

    private static final Comparator<DeploymentCandidate> PROMISING = Comparator.<DeploymentCandidate>comparingInt(
                    c -> estimate(c).should() ? 0 : 1)
            .thenComparingInt(DeploymentCandidate::devices)
            .thenComparingDouble(c -> -estimate(c).spare())
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

    /** Confirmed deployments first, cheapest first; then all others. */
    List<DeploymentCandidate> run(List<List<DeploymentCandidate>> shapes) {
        List<DeploymentCandidate> open = new ArrayList<>();
        for (List<DeploymentCandidate> shape : shapes) {
            for (DeploymentCandidate candidate : shape) {
                (candidate.estimate().isPresent() ? open : done).add(candidate);
            }
        }
        open.sort(PROMISING);
        open.forEach(this::visit);
        List<DeploymentCandidate> left = List.copyOf(leftOut);
        leftOut.clear();
        left.forEach(this::visitAgain);
        return ranked();
    }

    /** Whether the limit of simulations left deployments out that may be cheaper by the closed form. */
    boolean isCut() {
        return isCut;
    }

    /** Spends the simulations that are left on further limits of shapes that promise fewer devices than the best. */
    private void visitAgain(DeploymentCandidate candidate) {
        boolean isAlike = sameShape(candidate).stream().anyMatch(c -> isAlike(c, candidate));
        if (!isPromising(candidate) || isAlike) {
            leaveOut(candidate);
        } else if (isSpent()) {
            isCut = true;
            leaveOut(candidate);
        } else {
            done.add(confirm(candidate));
        }
    }

    private boolean isSpent() {
        return simulations.count() >= settings.search().simulations();
    }

    private void leaveOut(DeploymentCandidate candidate) {
        done.add(candidate.with(
                Status.NOT_SIMULATED,
                estimate(candidate).should()
                        ? "should need " + candidate.devices() + " devices; others were simulated"
                        : "should miss the service level by the closed form; others were simulated"));
    }

    /** The winner by estimates alone, with what they promise in place of a simulation. */
    static Optional<DeploymentCandidate> promising(List<List<DeploymentCandidate>> shapes, double load) {
        return shapes.stream()
                .flatMap(List::stream)
                .filter(c -> c.estimate().filter(SizeEstimate::should).isPresent())
                .min(PROMISING)
                .map(c -> c.with(Status.WINNER, "by estimate", promised(estimate(c), load)));
    }

    private static ConfirmedSize promised(SizeEstimate estimate, double load) {
        Map<String, Double> figures = Map.of("ttft_p99_ms", estimate.ttftMs(), "tpot_p99_ms", estimate.tpotMs());
        DeploymentResult result = new DeploymentResult(load, true, figures, AdmissionLimit.NONE, true, 0, 0);
        return new ConfirmedSize(estimate.replicas(), result, load * Math.min(FIRST_CAP, estimate.spare()), false, 0);
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

    /** Deployments of a shape that were simulated. */
    private List<DeploymentCandidate> sameShape(DeploymentCandidate candidate) {
        return done.stream()
                .filter(c -> c.confirmed().isPresent()
                        && c.deployment().shape().equals(candidate.deployment().shape()))
                .toList();
    }

    /** Whether the closed form promises fewer devices than the best so far. */
    private boolean isPromising(DeploymentCandidate candidate) {
        return candidate.devices() < best && estimate(candidate).should();
    }

    /** Whether there are enough finalists to compare, one of this engine included. */
    private boolean hasFinalists(DeploymentCandidate candidate) {
        return done.stream().filter(DeploymentCandidate::isFeasible).anyMatch(c -> engine(c)
                        .equals(engine(candidate)))
                && done.stream().filter(DeploymentCandidate::isFeasible).count()
                        >= settings.search().finalists();
    }

    /**
     * Whether simulations are better spent on others. A shape of which nothing was simulated is left out only if it cannot be cheaper
     * by its lower bound or there are no simulations left: the closed form may be too pessimistic.
     */
    private boolean isLeftOut(DeploymentCandidate candidate) {
        List<DeploymentCandidate> sameShape = sameShape(candidate);
        boolean isNoBetter = !isPromising(candidate);
        boolean mayBeCheaper = sameShape.isEmpty() && candidate.minDevices() < best;
        return isSpent()
                || sameShape.size() >= MAX_LIMITS_PER_SHAPE
                || sameShape.stream().anyMatch(c -> isAlike(c, candidate))
                || (isNoBetter && sameShape.stream().anyMatch(DeploymentCandidate::isFeasible))
                || (isNoBetter && !mayBeCheaper && hasFinalists(candidate));
    }

    /** Whether two limits of a shape differ in nothing that requests meet. */
    private static boolean isAlike(DeploymentCandidate one, DeploymentCandidate other) {
        if (!estimate(other).should()) {
            return false;
        }
        int seqs = Math.min(one.deployment().maxNumSeqs(), other.deployment().maxNumSeqs());
        return one.deployment().maxNumBatchedTokens() == other.deployment().maxNumBatchedTokens()
                && seqs > AMPLE * estimate(other).state().many();
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
        int most = Math.min(settings.search().maxReplicas(), (isChallenge ? best - 1 : best) / devices);
        // the maximum decides at once whether a deployment that should be no better may be cheaper
        int from = best < Integer.MAX_VALUE && !isPromising(candidate)
                ? most
                : Math.max(
                        estimate(candidate).least(),
                        Math.min(estimate(candidate).replicas(), most));
        ConfirmedSize confirmed =
                result(candidate, from).meetsSlo() ? fewer(candidate, from) : more(candidate, from, most);
        confirmed = lower(candidate, confirmed);
        int needed = confirmed.replicas() * devices;
        if (!confirmed.result().meetsSlo()) {
            boolean isLimited = best < Integer.MAX_VALUE;
            return candidate.with(
                    isLimited ? Status.MORE_EXPENSIVE : Status.SLO_MISSED,
                    "with " + Count.of(needed, "device") + ": " + breach(confirmed.result()),
                    confirmed);
        }
        best = Math.min(best, needed);
        return candidate.with(Status.FEASIBLE, "holds with " + Count.of(needed, "device"), confirmed);
    }

    /** The least copies that hold, at most so many, which do. */
    private ConfirmedSize fewer(DeploymentCandidate candidate, int from) {
        int high = from;
        int low = estimate(candidate).least() - 1;
        for (int step = 1; high - step > low; step *= 2) {
            if (!result(candidate, high - step).meetsSlo()) {
                low = high - step;
            } else {
                high -= step;
            }
        }
        return between(candidate, low, high);
    }

    /** The least copies that hold, more than so many, which do not; the last tried where none does. */
    private ConfirmedSize more(DeploymentCandidate candidate, int from, int most) {
        int low = from;
        for (int step = 1; low < most; step *= 2) {
            int next = Math.min(most, low + step);
            DeploymentResult before = result(candidate, low);
            DeploymentResult result = result(candidate, next);
            if (result.meetsSlo()) {
                return between(candidate, low, next);
            }
            low = next;
            if (result.isFutile(before, slo) || isSpent()) {
                break;
            }
        }
        return new ConfirmedSize(low, result(candidate, low));
    }

    /**
     * Tries slightly fewer copies after a near miss: a round robin over fewer copies distributes the requests differently, so a
     * percentile may rise with the copies by chance.
     */
    private ConfirmedSize lower(DeploymentCandidate candidate, ConfirmedSize from) {
        int missed = from.result().meetsSlo() ? from.replicas() - 1 : from.replicas();
        int least = Math.max(estimate(candidate).least(), missed - NEAR_COPIES);
        if (missed <= least || slo.margin(result(candidate, missed).figures()) < -NEAR_MISS) {
            return from;
        }
        for (int copies = missed - 1; copies >= least; copies--) {
            DeploymentResult result = result(candidate, copies);
            if (result.meetsSlo()) {
                return lower(candidate, new ConfirmedSize(copies, result));
            }
        }
        return from;
    }

    private ConfirmedSize between(DeploymentCandidate candidate, int fails, int meetsSlo) {
        int low = fails;
        int high = meetsSlo;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (result(candidate, middle).meetsSlo()) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return new ConfirmedSize(high, result(candidate, high));
    }

    /** Describes why a simulation failed. */
    private String breach(DeploymentResult result) {
        String seeds = result.seedsSatisfied() > 0
                ? "satisfied with " + result.seedsSatisfied() + " of " + result.seeds() + " seeds; "
                : "";
        return seeds
                + (result.keepsUp()
                        ? String.join(
                                ", ",
                                slo.broken(result.figures()).stream()
                                        .map(bound -> Slo.measured(bound, result.figures()))
                                        .toList())
                        : "requests pile up");
    }

    private List<DeploymentCandidate> ranked() {
        List<DeploymentCandidate> others =
                done.stream().filter(c -> !c.isFeasible()).toList();
        List<DeploymentCandidate> confirmed =
                done.stream().filter(DeploymentCandidate::isFeasible).toList();
        List<DeploymentCandidate> cheapest =
                withHeadroom(confirmed.stream().filter(c -> c.devices() == best).toList(), FIRST_CAP);
        if (cheapest.stream().filter(DeploymentSearch::isOpen).count() > 1) {
            cheapest = withHeadroom(cheapest, SECOND_CAP);
        }
        List<DeploymentCandidate> ranked = new ArrayList<>(cheapest);
        confirmed.stream()
                .filter(c -> c.devices() > best)
                .map(c -> c.with(Status.FEASIBLE, "holds, but with " + c.devices() + " devices"))
                .forEach(ranked::add);
        List<DeploymentCandidate> all = List.copyOf(ranked);
        ranked.sort(Comparator.comparingInt(DeploymentCandidate::devices)
                .thenComparing(c -> !Pareto.isOn(c, all))
                .thenComparingDouble(c -> -c.confirmed().orElseThrow().maxLoad())
                .thenComparingDouble(
                        c -> -slo.margin(c.confirmed().orElseThrow().result().figures())));
        if (!ranked.isEmpty()) {
            ranked.set(0, withFewer(ranked.get(0)));
        }
        ranked.addAll(others);
        return ranked;
    }

    private static boolean isOpen(DeploymentCandidate candidate) {
        return candidate.confirmed().orElseThrow().isOpen();
    }

    /** Searches the headroom in load of those that have none yet or reached the previous cap. */
    private List<DeploymentCandidate> withHeadroom(List<DeploymentCandidate> candidates, double cap) {
        return candidates.parallelStream()
                .map(c -> c.confirmed().orElseThrow().maxLoad() == 0 || isOpen(c) ? withHeadroom(c, cap) : c)
                .toList();
    }

    private DeploymentCandidate withHeadroom(DeploymentCandidate candidate, double cap) {
        ConfirmedSize before = candidate.confirmed().orElseThrow();
        double ratio = greatestLoad(candidate, Math.max(1, before.maxLoad() / settings.load()), cap);
        ConfirmedSize confirmed =
                new ConfirmedSize(before.replicas(), before.result(), ratio * settings.load(), ratio >= cap, 0);
        return candidate.with(Status.FEASIBLE, "holds with as many devices", confirmed);
    }

    /** The winner, with the seeds that one copy fewer satisfies. */
    private DeploymentCandidate withFewer(DeploymentCandidate candidate) {
        ConfirmedSize it = candidate.confirmed().orElseThrow();
        int fewer = it.replicas() == 1
                ? 0
                : simulations
                        .ofEverySeed(
                                candidate.replica().orElseThrow(),
                                candidate.deployment(),
                                it.replicas() - 1,
                                settings.load())
                        .seedsSatisfied();
        return candidate.with(
                Status.WINNER,
                "fewest devices, and of those the best latency, load and margin",
                new ConfirmedSize(it.replicas(), it.result(), it.maxLoad(), it.isOpen(), fewer));
    }

    /**
     * The maximum load that a deployment carries as a ratio to the requested load, within a few percent, searched from the estimate.
     *
     * @param from a ratio that it carries
     * @param cap the maximum that is searched
     */
    private double greatestLoad(DeploymentCandidate candidate, double from, double cap) {
        double low = from;
        double high = Math.min(cap, Math.max(RAISE * from, estimate(candidate).spare()));
        double raise = RAISE;
        while (meetsSlo(candidate, high)) {
            low = high;
            if (high >= cap) {
                return cap;
            }
            raise = Math.min(MAX_RAISE, raise * raise);
            high = Math.min(cap, high * raise);
        }
        while (high / low > NEAR) {
            double middle = Math.max(Math.sqrt(low * high), high / RAISE);
            if (meetsSlo(candidate, middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean meetsSlo(DeploymentCandidate candidate, double factor) {
        ReplicaModel replica = candidate.replica().orElseThrow();
        return simulations
                .of(replica, candidate.deployment(), candidate.replicas(), factor * settings.load())
                .meetsSlo();
    }

    /** What a deployment needs when steps take so many times as long. */
    ServingPlan.Slowdown slowdown(DeploymentCandidate candidate, String when, double slowdown) {
        ReplicaModel replica = candidate.replica().orElseThrow();
        int most = Math.min(settings.search().maxReplicas(), MAX_SLOWDOWN * candidate.replicas());
        for (int replicas = candidate.replicas(); replicas <= most; replicas += Math.max(1, replicas / FINE)) {
            if (simulations
                    .of(replica, candidate.deployment(), replicas, settings.load(), slowdown)
                    .meetsSlo()) {
                return new ServingPlan.Slowdown(when, slowdown, replicas);
            }
        }
        return new ServingPlan.Slowdown(when, slowdown, 0);
    }

    /** The winner, where something holds. */
    static Optional<DeploymentCandidate> winner(List<DeploymentCandidate> ranked) {
        return ranked.stream().filter(c -> c.status() == Status.WINNER).findFirst();
    }
}
