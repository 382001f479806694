package dev.stagesim.stage.calibrate;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.measure.CalibrateSettings;
import dev.stagesim.measure.CalibrateSettings.Term;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.metrics.StepWork;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.calibrate.CalibrationData.Times;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.RelativeFit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Fits the terms iteratively. A simulation determines the steps in which each request waited and decoded. The times of
 * these steps are sums of the terms. The terms that fit the measured times best are used in the next simulation.
 */
record Fitting(
        ServingSpec spec, Evidence evidence, OperatorTimes times, CalibrateSettings settings, StageContext context) {
    /** Number of rounds without improvement after which the best round is taken. */
    private static final int MAX_STALE_ROUNDS = 4;

    private static final double WORTH_IT = 0.5;

    /** The time that replaces a factor on operators which the hardware card does not describe. */
    private static final SortedMap<Term, Term> UNDESCRIBED =
            new TreeMap<>(Map.of(Term.LINEAR, Term.TOKEN, Term.DECODE_ATTENTION, Term.CACHED_TOKEN));

    /** Improvement of the criterion that justifies such a time. */
    private static final double STRONG_EVIDENCE = 10;

    /** Rounds with a full step; later rounds take half steps to prevent oscillation. */
    private static final int FREELY = 4;

    private static final double HALF = 0.5;

    /**
     * Result of the fit.
     *
     * @param coefficients values of all terms
     * @param fitted terms that were fitted
     * @param intervals by {@link Term#ordinal}
     * @param rounds number of rounds
     * @param settled true if the last rounds brought no improvement
     * @param unidentified terms that the run cannot separate from the fitted ones; they keep their values
     */
    record FitResult(
            Coefficients coefficients,
            List<Term> fitted,
            Interval[] intervals,
            int rounds,
            boolean settled,
            List<Term> unidentified) {}

    /**
     * Returns the fit.
     *
     * @param requestSeconds time until a request can be scheduled if there are no requests, only logged steps
     */
    FitResult find(double requestSeconds) {
        Search found = search();
        Coefficients coefficients = found.best().coefficients();
        List<Term> fitted =
                found.best().chosen().stream().map(i -> Term.values()[i]).toList();
        List<Term> unidentified = candidates().stream()
                .filter(term -> !fitted.contains(term))
                .filter(term -> !found.best()
                        .fit()
                        .identifies(term.ordinal(), found.best().chosen()))
                .toList();
        return new FitResult(
                evidence.runs().isEmpty() ? coefficients.with(Term.REQUEST, requestSeconds) : coefficients,
                fitted,
                intervals(found.best()),
                found.rounds(),
                found.settled(),
                unidentified);
    }

    /** Returns the terms to fit. Only logged steps separate the time between steps from the time of a step. */
    private List<Term> candidates() {
        return settings.terms().stream()
                .filter(term -> term != Term.GAP || evidence.separatesGap())
                .toList();
    }

    /**
     * Returns the columns of the terms to fit. A time per token, or per cached token, is fitted only if a factor on the
     * operators cannot explain the measurement and that time improves the fit much, as on a device that the hardware card
     * does not describe.
     */
    private List<Integer> choose(RelativeFit fit) {
        List<Term> allowed = new ArrayList<>(candidates());
        allowed.removeAll(UNDESCRIBED.values());
        List<Integer> chosen = fit.choose(columns(allowed));
        for (Map.Entry<Term, Term> entry : UNDESCRIBED.entrySet()) {
            Term time = entry.getValue();
            if (candidates().contains(time) && !explains(fit, entry.getKey().ordinal(), chosen)) {
                allowed.add(time);
                List<Integer> more = fit.choose(columns(allowed));
                double enough = chosen.contains(Term.TOKEN.ordinal()) ? 0 : STRONG_EVIDENCE;
                if (score(fit, chosen) - score(fit, more) > enough) {
                    chosen = more;
                } else {
                    allowed.remove(time);
                }
            }
        }
        return chosen;
    }

    /** Returns the columns of terms, in the order of {@code calibrate.terms}. */
    private List<Integer> columns(List<Term> terms) {
        return candidates().stream().filter(terms::contains).map(Term::ordinal).toList();
    }

    private static double score(RelativeFit fit, List<Integer> chosen) {
        return fit.score(fit.solve(chosen), chosen.size());
    }

    /** Returns true if a factor is fitted within its bounds. */
    private static boolean explains(RelativeFit fit, int factor, List<Integer> chosen) {
        double value = fit.solve(chosen)[factor];
        RelativeFit.Bounds bounds = Coefficients.bounds();
        boolean isAtBound = value <= bounds.low()[factor] || value >= bounds.high()[factor];
        return chosen.contains(factor) && !isAtBound;
    }

    /** Returns the values without intervals. */
    Coefficients coefficients() {
        return search().best().coefficients();
    }

    /** Returns the result of the rounds. */
    private record Search(Best best, int rounds, boolean settled) {}

    private Search search() {
        Coefficients now = Coefficients.none();
        List<Integer> chosen = List.of();
        StepTimes operators = new StepTimes(spec, now.times(times, spec.layersPerStage()));
        int mean = evidence.meanContext();
        List<double[]> steps = evidence.steps().fitted().stream()
                .map(group -> group.work(operators, mean))
                .toList();
        Observations first = observations(now, steps);
        Best best = new Best(now, chosen, first.fit(), first.groups(), Double.POSITIVE_INFINITY);
        int since = 0;
        int round = 0;
        while (round < settings.rounds() && since < MAX_STALE_ROUNDS) {
            context.progress("fitting", round, settings.rounds());
            RelativeFit fit = round == 0 ? best.fit() : observations(now, steps).fit();
            double score = fit.score(now.values(), chosen.size());
            since = score < best.score() - WORTH_IT ? 0 : since + 1;
            best = score < best.score() ? new Best(now, chosen, fit, best.groups(), score) : best;
            chosen = choose(fit);
            now = new Coefficients(fit.solve(chosen)).between(now, round < FREELY ? 1 : HALF);
            round++;
        }
        return new Search(best, round, since >= MAX_STALE_ROUNDS);
    }

    /** The round with the simulation closest to the measurement. */
    private record Best(Coefficients coefficients, List<Integer> chosen, RelativeFit fit, int[] groups, double score) {}

    /** Returns the intervals of resampled fits, centred on the coefficients. */
    private Interval[] intervals(Best best) {
        Interval[] around = best.fit().intervals(best.chosen(), best.groups(), settings.resamples(), settings.seed());
        double[] whole = best.fit().solve(best.chosen());
        Interval[] moved = new Interval[around.length];
        RelativeFit.Bounds bounds = Coefficients.bounds();
        for (int i = 0; i < moved.length; i++) {
            double by = best.coefficients().values()[i] - whole[i];
            moved[i] = new Interval(
                    Math.max(bounds.low()[i], around[i].low() + by), Math.min(bounds.high()[i], around[i].high() + by));
        }
        return moved;
    }

    static Simulation simulate(ServingSpec spec, CalibrationData run, OperatorTimes times, Coefficients with) {
        ServingSpec changed = new ServingSpec(
                spec.model(),
                spec.footprint(),
                spec.cluster(),
                spec.scheduler(),
                spec.timing().withRequestSeconds(with.of(Term.REQUEST)),
                spec.maxTokens(),
                spec.timeLimitSeconds(),
                spec.accidents());
        return Simulation.run(changed, run.input(), with.times(times, spec.layersPerStage()));
    }

    /** Observations of a fit. Observations of one group are resampled together. */
    private static final class Observations {
        private final List<double[]> x = new ArrayList<>();
        private final List<Double> y = new ArrayList<>();
        private final List<Integer> kinds = new ArrayList<>();
        private final List<Integer> groups = new ArrayList<>();

        void add(Kind kind, int group, double[] row, double seconds) {
            x.add(row);
            y.add(seconds);
            kinds.add(kind.ordinal());
            groups.add(group);
        }

        int[] groups() {
            return groups.stream().mapToInt(Integer::intValue).toArray();
        }

        RelativeFit fit() {
            int[] present = kinds.stream()
                    .mapToInt(Integer::intValue)
                    .distinct()
                    .sorted()
                    .toArray();
            return new RelativeFit(
                    x.toArray(new double[0][]),
                    y.stream().mapToDouble(Double::doubleValue).toArray(),
                    kinds.stream()
                            .mapToInt(kind -> Arrays.binarySearch(present, kind))
                            .toArray(),
                    Coefficients.bounds());
        }
    }

    /** Measured interval of an observation. */
    private enum Kind {
        FIRST_TOKEN,
        DECODE,
        DECODE_STEP,
        PREFILL_STEP
    }

    /**
     * Returns, for each fitted request, the time to the first token, and the remaining time if it has more tokens; and for
     * each group of logged steps its mean time.
     */
    private Observations observations(Coefficients now, List<double[]> stepWork) {
        Observations all = new Observations();
        int group = 0;
        for (CalibrationData run : evidence.runs()) {
            Simulation simulation = simulate(spec, run, times, now);
            for (Times t : run.part(false)) {
                int replica = simulation.work().replicaOf(t.request());
                double first = simulation.first(t.request());
                double ready = simulation.arrival(t.request()) + now.of(Term.REQUEST);
                double[] waiting = simulation.work().between(replica, ready, first);
                all.add(Kind.FIRST_TOKEN, group, row(waiting, 1, now), t.ttft() / NS_PER_S);
                if (t.tokens() > 1) {
                    double[] decoding = simulation.work().between(replica, first, simulation.last(t.request()));
                    all.add(Kind.DECODE, group, row(decoding, 0, now), t.decode() / NS_PER_S);
                }
                group++;
            }
        }
        for (int i = 0; i < stepWork.size(); i++) {
            LoggedSteps.Group steps = evidence.steps().fitted().get(i);
            Kind kind = steps.isPrefill() ? Kind.PREFILL_STEP : Kind.DECODE_STEP;
            double[] row = row(stepWork.get(i), 0, Coefficients.none());
            row[Term.GAP.ordinal()] = 0;
            all.add(kind, group++, row, steps.seconds());
        }
        return all;
    }

    /** Returns the time that one unit of each term adds. The work was done with the current factors. */
    private static double[] row(double[] work, double requests, Coefficients now) {
        double[] row = new double[Term.values().length];
        row[Term.STEP.ordinal()] = work[StepWork.STEPS];
        row[Term.GAP.ordinal()] = work[StepWork.STEPS];
        row[Term.REQUEST.ordinal()] = requests;
        double linear = work[StepWork.LINEAR] - now.of(Term.TOKEN) * work[StepWork.TOKENS];
        row[Term.LINEAR.ordinal()] = Math.max(0, linear) / now.of(Term.LINEAR);
        row[Term.TOKEN.ordinal()] = work[StepWork.TOKENS];
        row[Term.STEP_REQUEST.ordinal()] = work[StepWork.REQUESTS];
        double decode = work[StepWork.DECODE] - now.of(Term.CACHED_TOKEN) * work[StepWork.CACHED];
        row[Term.DECODE_ATTENTION.ordinal()] = Math.max(0, decode) / now.of(Term.DECODE_ATTENTION);
        row[Term.CACHED_TOKEN.ordinal()] = work[StepWork.CACHED];
        row[Term.PREFILL_ATTENTION.ordinal()] = work[StepWork.PREFILL] / now.of(Term.PREFILL_ATTENTION);
        return row;
    }
}
