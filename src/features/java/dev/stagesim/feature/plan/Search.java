package dev.stagesim.feature.plan;

import dev.stagesim.feature.Replica;
import dev.stagesim.feature.plan.Candidate.Confirmed;
import dev.stagesim.feature.plan.Candidate.Estimate;
import dev.stagesim.feature.plan.Candidate.Fate;
import dev.stagesim.feature.plan.Trials.Trial;
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
final class Search {
    /** Limits of a batch that are simulated of a shape. */
    private static final int LIMITS_OF_A_SHAPE = 3;

    /** Greatest load that is looked for, beside the one that is asked. */
    private static final double MOST_HEADROOM = 4;

    private static final double RAISE = 1.15;
    /** Beside those that run in one state of a hundred, a limit that none meets. */
    private static final double AMPLE = 2;

    private static final int MOST_SLOWER = 4;
    private static final int FINE = 8;
    private static final double NEAR = 1.04;

    private static final Comparator<Candidate> PROMISING = Comparator.<Candidate>comparingInt(
                    c -> estimate(c).should() ? 0 : 1)
            .thenComparingInt(Candidate::devices)
            .thenComparingDouble(c -> -estimate(c).spare())
            .thenComparing(Search::engine)
            .thenComparingInt(c -> c.deployment().shape().devices())
            .thenComparingInt(c -> c.deployment().maxNumSeqs())
            .thenComparingInt(c -> c.deployment().maxNumBatchedTokens());

    private final PlanSettings settings;
    private final Slo slo;
    private final Trials trials;
    private final LongConsumer progress;
    private final List<Candidate> done = new ArrayList<>();
    private int best = Integer.MAX_VALUE;

    Search(PlanSettings settings, Slo slo, Trials trials, LongConsumer progress) {
        this.settings = settings;
        this.slo = slo;
        this.trials = trials;
        this.progress = progress;
    }

    private static Estimate estimate(Candidate candidate) {
        return candidate.estimate().orElseThrow();
    }

    /** Confirmed deployments first, cheapest first; then all others. */
    List<Candidate> run(List<List<Candidate>> shapes) {
        List<Candidate> open = new ArrayList<>();
        for (List<Candidate> shape : shapes) {
            for (Candidate candidate : shape) {
                (candidate.estimate().isPresent() ? open : done).add(candidate);
            }
        }
        open.sort(PROMISING);
        open.forEach(this::visit);
        return ranked();
    }

    /** The winner by estimates alone, with what they promise in place of a simulation. */
    static Optional<Candidate> promising(List<List<Candidate>> shapes, double load) {
        return shapes.stream()
                .flatMap(List::stream)
                .filter(c -> c.estimate().filter(Estimate::should).isPresent())
                .min(PROMISING)
                .map(c -> c.with(Fate.WINNER, "by estimate", promised(estimate(c), load)));
    }

    private static Confirmed promised(Estimate estimate, double load) {
        Map<String, Double> figures = Map.of("ttft_p99_ms", estimate.ttftMs(), "tpot_p99_ms", estimate.tpotMs());
        Trial trial = new Trial(load, true, figures, AdmissionLimit.NONE, true);
        return new Confirmed(estimate.replicas(), trial, load * Math.min(MOST_HEADROOM, estimate.spare()));
    }

    private void visit(Candidate candidate) {
        if (candidate.leastDevices() > best) {
            done.add(candidate.with(Fate.DEARER, "needs at least " + candidate.leastDevices() + " devices"));
        } else if (isLeftOut(candidate)) {
            done.add(candidate.with(
                    Fate.NOT_SIMULATED, "should need " + candidate.devices() + " devices; others were simulated"));
        } else {
            done.add(confirm(candidate));
        }
    }

    /** Whether simulations are better spent on others. */
    private boolean isLeftOut(Candidate candidate) {
        List<Candidate> sameShape = done.stream()
                .filter(c -> c.confirmed().isPresent()
                        && c.deployment().shape().equals(candidate.deployment().shape()))
                .toList();
        long finalists = done.stream().filter(Candidate::isConfirmed).count();
        boolean hasEngine = done.stream().filter(Candidate::isConfirmed).anyMatch(c -> engine(c)
                .equals(engine(candidate)));
        boolean isNoBetter = candidate.devices() >= best || !estimate(candidate).should();
        return trials.count() >= settings.search().simulations()
                || sameShape.size() >= LIMITS_OF_A_SHAPE
                || sameShape.stream().anyMatch(c -> isAlike(c, candidate))
                || (isNoBetter && sameShape.stream().anyMatch(Candidate::isConfirmed))
                || (isNoBetter && hasEngine && finalists >= settings.search().finalists());
    }

    /** Whether two limits of a shape differ in nothing that requests meet. */
    private static boolean isAlike(Candidate one, Candidate other) {
        int seqs = Math.min(one.deployment().maxNumSeqs(), other.deployment().maxNumSeqs());
        return one.deployment().maxNumBatchedTokens() == other.deployment().maxNumBatchedTokens()
                && seqs > AMPLE * estimate(other).state().many();
    }

    private static String engine(Candidate candidate) {
        return candidate.deployment().shape().engine();
    }

    private Trial trial(Candidate candidate, int replicas) {
        progress.accept(trials.count());
        return trials.of(candidate.replica().orElseThrow(), candidate.deployment(), replicas, settings.load());
    }

    private Candidate confirm(Candidate candidate) {
        int devices = candidate.deployment().shape().devices();
        int most = Math.min(settings.search().maxReplicas(), best / devices);
        int from = Math.max(
                estimate(candidate).least(), Math.min(estimate(candidate).replicas(), most));
        Confirmed confirmed = trial(candidate, from).holds() ? fewer(candidate, from) : more(candidate, from, most);
        int needed = confirmed.replicas() * devices;
        if (!confirmed.trial().holds()) {
            boolean isLimited = best < Integer.MAX_VALUE;
            return candidate.with(
                    isLimited ? Fate.DEARER : Fate.MISSES,
                    "with " + needed + " devices: " + breach(confirmed.trial()),
                    confirmed);
        }
        best = Math.min(best, needed);
        return candidate.with(Fate.HOLDS, "holds with " + needed + " devices", confirmed);
    }

    /** The least copies that hold, at most so many, which do. */
    private Confirmed fewer(Candidate candidate, int from) {
        int high = from;
        int low = estimate(candidate).least() - 1;
        for (int step = 1; high - step > low; step *= 2) {
            if (!trial(candidate, high - step).holds()) {
                low = high - step;
            } else {
                high -= step;
            }
        }
        return between(candidate, low, high);
    }

    /** The least copies that hold, more than so many, which do not; the last tried where none does. */
    private Confirmed more(Candidate candidate, int from, int most) {
        int low = from;
        for (int step = 1; low < most; step *= 2) {
            int next = Math.min(most, low + step);
            Trial before = trial(candidate, low);
            Trial trial = trial(candidate, next);
            if (trial.holds()) {
                return between(candidate, low, next);
            }
            low = next;
            if (trial.isVain(before, slo) || trials.count() >= settings.search().simulations()) {
                break;
            }
        }
        return new Confirmed(low, trial(candidate, low), 0);
    }

    private Confirmed between(Candidate candidate, int fails, int holds) {
        int low = fails;
        int high = holds;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (trial(candidate, middle).holds()) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return new Confirmed(high, trial(candidate, high), 0);
    }

    /** What a simulation broke, in words. */
    private String breach(Trial trial) {
        return trial.keepsUp()
                ? String.join(
                        ", ",
                        slo.broken(trial.figures()).stream()
                                .map(bound -> Slo.measured(bound, trial.figures()))
                                .toList())
                : "requests pile up";
    }

    private List<Candidate> ranked() {
        List<Candidate> ranked = new ArrayList<>();
        List<Candidate> others = new ArrayList<>();
        for (Candidate candidate : done) {
            (candidate.isConfirmed() ? ranked : others).add(candidate);
        }
        ranked = new ArrayList<>(ranked.parallelStream().map(this::withHeadroom).toList());
        ranked.sort(Comparator.comparingInt(Candidate::devices)
                .thenComparingDouble(c -> -c.confirmed().orElseThrow().maxLoad()));
        if (!ranked.isEmpty()) {
            ranked.set(0, ranked.get(0).with(Fate.WINNER, "fewest devices, and of those the greatest load"));
        }
        ranked.addAll(others);
        return ranked;
    }

    private Candidate withHeadroom(Candidate candidate) {
        if (candidate.devices() > best) {
            return candidate.with(Fate.HOLDS, "holds, but with " + candidate.devices() + " devices");
        }
        Confirmed confirmed = candidate.confirmed().orElseThrow();
        double load = greatestLoad(candidate);
        return candidate.with(
                Fate.HOLDS, "holds with as many devices", new Confirmed(confirmed.replicas(), confirmed.trial(), load));
    }

    /** The greatest load that a deployment carries, within a few percent, looked for from the estimate on. */
    private double greatestLoad(Candidate candidate) {
        double low = 1;
        double high =
                Math.max(RAISE, Math.min(MOST_HEADROOM, estimate(candidate).spare()));
        while (high < MOST_HEADROOM && holds(candidate, high)) {
            low = high;
            high *= RAISE;
        }
        while (high / low > NEAR) {
            double middle = Math.max(Math.sqrt(low * high), high / RAISE);
            if (holds(candidate, middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low * settings.load();
    }

    private boolean holds(Candidate candidate, double factor) {
        Replica replica = candidate.replica().orElseThrow();
        return trials.of(replica, candidate.deployment(), candidate.replicas(), factor * settings.load())
                .holds();
    }

    /** What a deployment needs when steps take so many times as long. */
    Plan.Slow slower(Candidate candidate, String when, double slower) {
        Replica replica = candidate.replica().orElseThrow();
        int most = Math.min(settings.search().maxReplicas(), MOST_SLOWER * candidate.replicas());
        for (int replicas = candidate.replicas(); replicas <= most; replicas += Math.max(1, replicas / FINE)) {
            if (trials.of(replica, candidate.deployment(), replicas, settings.load(), slower)
                    .holds()) {
                return new Plan.Slow(when, slower, replicas);
            }
        }
        return new Plan.Slow(when, slower, 0);
    }

    /** The winner, where something holds. */
    static Optional<Candidate> winner(List<Candidate> ranked) {
        return ranked.stream().filter(c -> c.fate() == Fate.WINNER).findFirst();
    }
}
