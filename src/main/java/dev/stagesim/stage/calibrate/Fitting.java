package dev.stagesim.stage.calibrate;

import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.settings.CalibrateSettings;
import dev.stagesim.settings.CalibrateSettings.Term;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.StepWork;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.calibrate.Measured.Times;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.RelativeFit;
import java.util.ArrayList;
import java.util.List;

/**
 * Fits the terms by turns: a simulation says which steps ran while each request waited and decoded, those steps' times are a sum of the
 * terms, and the terms that make the sums most like the measured times go into the next simulation.
 */
final class Fitting {
    /** Terms are chosen anew in these first rounds; after that the same are fitted, so that rounds settle. */
    private static final int CHOOSING = 3;

    private static final double SETTLED = 1e-3;
    private static final double NS_PER_S = 1e9;

    private final ServingSpec spec;
    private final Measured measured;
    private final OperatorTimes times;
    private final CalibrateSettings settings;
    private final StageContext context;

    /**
     * What was found.
     *
     * @param coefficients values of all terms
     * @param fitted terms that were fitted
     * @param intervals by {@link Term#ordinal}
     * @param rounds rounds it took
     * @param settled whether the last changed nothing of note
     */
    record Found(
            Coefficients coefficients, List<Term> fitted, Interval[] intervals, int rounds, boolean settled) {}

    Fitting(
            ServingSpec spec,
            Measured measured,
            OperatorTimes times,
            CalibrateSettings settings,
            StageContext context) {
        this.spec = spec;
        this.measured = measured;
        this.times = times;
        this.settings = settings;
        this.context = context;
    }

    Found find() {
        Coefficients now = Coefficients.none();
        List<Integer> candidates = settings.terms().stream().map(Term::ordinal).toList();
        List<Integer> chosen = List.of();
        boolean settled = false;
        int round = 0;
        RelativeFit fit = observations(now);
        while (round < settings.rounds() && !settled) {
            context.progress("fitting", round, settings.rounds());
            chosen = round < CHOOSING ? fit.choose(candidates) : chosen;
            Coefficients next = new Coefficients(fit.solve(chosen));
            settled = round >= CHOOSING && next.changeFrom(now) < SETTLED;
            now = next;
            fit = observations(now);
            round++;
        }
        Interval[] intervals = fit.intervals(chosen, groups(), settings.resamples(), settings.seed());
        List<Term> fitted = chosen.stream().map(i -> Term.values()[i]).toList();
        return new Found(now, fitted, intervals, round, settled);
    }

    static Simulation simulate(ServingSpec spec, Measured measured, OperatorTimes times, Coefficients with) {
        ServingSpec changed = new ServingSpec(
                spec.model(),
                spec.footprint(),
                spec.cluster(),
                spec.scheduler(),
                spec.timing().withRequestSeconds(with.of(Term.REQUEST)),
                spec.maxTokens(),
                spec.timeLimitSeconds(),
                spec.quirks());
        return Simulation.run(changed, measured.input(), with.times(times));
    }

    /** For each request of the fit its wait for the first token, and the time after it when there were more. */
    private RelativeFit observations(Coefficients now) {
        Simulation simulation = simulate(spec, measured, times, now);
        List<double[]> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (Times t : measured.part(false)) {
            int replica = simulation.work().replicaOf(t.request());
            double first = simulation.first(t.request());
            double ready = simulation.arrival(t.request()) + now.of(Term.REQUEST);
            x.add(row(simulation.work().between(replica, ready, first), 1, now));
            y.add(t.ttft() / NS_PER_S);
            if (t.tokens() > 1) {
                x.add(row(simulation.work().between(replica, first, simulation.last(t.request())), 0, now));
                y.add(t.decode() / NS_PER_S);
            }
        }
        return new RelativeFit(
                x.toArray(new double[0][]),
                y.stream().mapToDouble(Double::doubleValue).toArray(),
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

    /** What one unit of each term would take of the time; the work was done with the factors of now. */
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
