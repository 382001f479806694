package dev.stagesim.stage.calibrate;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.measure.CalibrateSettings;
import dev.stagesim.measure.CalibrateSettings.Term;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.metrics.StepWork;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.calibrate.CalibrationData.Times;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.RelativeFit;
import java.util.ArrayList;
import java.util.List;

/**
 * Fits the terms iteratively. A simulation determines the steps in which each request waited and decoded. The times of
 * these steps are sums of the terms. The terms that fit the measured times best are used in the next simulation.
 */
record Fitting(
        ServingSpec spec,
        CalibrationData measured,
        OperatorTimes times,
        CalibrateSettings settings,
        StageContext context) {
    /** Number of rounds without improvement after which the best round is taken. */
    private static final int MAX_STALE_ROUNDS = 4;

    private static final double WORTH_IT = 0.5;

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

    FitResult find() {
        Search found = search();
        List<Term> fitted =
                found.best().chosen().stream().map(i -> Term.values()[i]).toList();
        List<Term> unidentified = settings.terms().stream()
                .filter(term -> !fitted.contains(term))
                .filter(term -> !found.best()
                        .fit()
                        .identifies(term.ordinal(), found.best().chosen()))
                .toList();
        return new FitResult(
                found.best().coefficients(),
                fitted,
                intervals(found.best()),
                found.rounds(),
                found.settled(),
                unidentified);
    }

    /** Returns the values without intervals. */
    Coefficients coefficients() {
        return search().best().coefficients();
    }

    /** Returns the result of the rounds. */
    private record Search(Best best, int rounds, boolean settled) {}

    private Search search() {
        List<Integer> candidates = settings.terms().stream().map(Term::ordinal).toList();
        Coefficients now = Coefficients.none();
        List<Integer> chosen = List.of();
        Best best = new Best(now, chosen, observations(now), Double.POSITIVE_INFINITY);
        int since = 0;
        int round = 0;
        while (round < settings.rounds() && since < MAX_STALE_ROUNDS) {
            context.progress("fitting", round, settings.rounds());
            RelativeFit fit = round == 0 ? best.fit() : observations(now);
            double score = fit.score(now.values(), chosen.size());
            since = score < best.score() - WORTH_IT ? 0 : since + 1;
            best = score < best.score() ? new Best(now, chosen, fit, score) : best;
            chosen = fit.choose(candidates);
            now = new Coefficients(fit.solve(chosen)).between(now, round < FREELY ? 1 : HALF);
            round++;
        }
        return new Search(best, round, since >= MAX_STALE_ROUNDS);
    }

    /** The round with the simulation closest to the measurement. */
    private record Best(Coefficients coefficients, List<Integer> chosen, RelativeFit fit, double score) {}

    /** Returns the intervals of resampled fits, centred on the coefficients. */
    private Interval[] intervals(Best best) {
        Interval[] around = best.fit().intervals(best.chosen(), groups(), settings.resamples(), settings.seed());
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

    static Simulation simulate(ServingSpec spec, CalibrationData measured, OperatorTimes times, Coefficients with) {
        ServingSpec changed = new ServingSpec(
                spec.model(),
                spec.footprint(),
                spec.cluster(),
                spec.scheduler(),
                spec.timing().withRequestSeconds(with.of(Term.REQUEST)),
                spec.maxTokens(),
                spec.timeLimitSeconds(),
                spec.accidents());
        return Simulation.run(changed, measured.input(), with.times(times));
    }

    /** Returns, for each fitted request, the time to the first token, and the remaining time if it has more tokens. */
    private RelativeFit observations(Coefficients now) {
        Simulation simulation = simulate(spec, measured, times, now);
        List<double[]> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        List<Integer> kinds = new ArrayList<>();
        for (Times t : measured.part(false)) {
            int replica = simulation.work().replicaOf(t.request());
            double first = simulation.first(t.request());
            double ready = simulation.arrival(t.request()) + now.of(Term.REQUEST);
            x.add(row(simulation.work().between(replica, ready, first), 1, now));
            y.add(t.ttft() / NS_PER_S);
            kinds.add(0);
            if (t.tokens() > 1) {
                x.add(row(simulation.work().between(replica, first, simulation.last(t.request())), 0, now));
                y.add(t.decode() / NS_PER_S);
                kinds.add(1);
            }
        }
        return new RelativeFit(
                x.toArray(new double[0][]),
                y.stream().mapToDouble(Double::doubleValue).toArray(),
                kinds.stream().mapToInt(Integer::intValue).toArray(),
                Coefficients.bounds());
    }

    private int[] groups() {
        List<Integer> groups = new ArrayList<>();
        int group = 0;
        for (Times t : measured.part(false)) {
            groups.add(group);
            if (t.tokens() > 1) {
                groups.add(group);
            }
            group++;
        }
        return groups.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Returns the time that one unit of each term adds. The work was done with the current factors. */
    private static double[] row(double[] work, double requests, Coefficients now) {
        double[] row = new double[Term.values().length];
        row[Term.STEP.ordinal()] = work[StepWork.STEPS];
        row[Term.REQUEST.ordinal()] = requests;
        row[Term.LINEAR.ordinal()] = work[StepWork.LINEAR] / now.of(Term.LINEAR);
        row[Term.STEP_REQUEST.ordinal()] = work[StepWork.REQUESTS];
        row[Term.DECODE_ATTENTION.ordinal()] = work[StepWork.DECODE] / now.of(Term.DECODE_ATTENTION);
        row[Term.PREFILL_ATTENTION.ordinal()] = work[StepWork.PREFILL] / now.of(Term.PREFILL_ATTENTION);
        return row;
    }
}
