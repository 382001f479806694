package dev.stagesim.stage.calibrate;

import dev.stagesim.measure.CalibrateSettings;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.calibrate.CalibrationData.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleBiFunction;

/** Predicts every request by a fit to other requests, so that all requests validate the fit even if there are few. */
final class CrossValidation {
    static final String PART = "cross_validated";
    private static final int ENOUGH = 20;
    private static final int DEFAULT_FOLDS = 8;

    private CrossValidation() {}

    /** Returns the number of parts, or 0 for no cross-validation. */
    static int folds(CalibrateSettings settings, CalibrationData measured) {
        int n = measured.times().size();
        int few = measured.part(true).size() < ENOUGH ? DEFAULT_FOLDS : 0;
        int folds = Math.min(settings.folds().orElse(few), n);
        return folds < 2 ? 0 : folds;
    }

    /** Returns the errors of all requests, each simulated with terms from a fit without it; none without folds. */
    static List<CalibrationErrors> errors(
            ServingSpec spec,
            CalibrationData measured,
            OperatorTimes times,
            CalibrateSettings settings,
            StageContext context,
            Simulation before) {
        int folds = folds(settings, measured);
        if (folds == 0) {
            return List.of();
        }
        List<Times> all = new ArrayList<>();
        List<Simulation> after = new ArrayList<>();
        int done = 0;
        for (CalibrationData fold : measured.folds(folds, settings.seed())) {
            context.progress("cross-validating", done++, folds);
            if (fold.part(false).size() < 2) {
                continue;
            }
            Coefficients found = new Fitting(spec, fold, times, settings, context).coefficients();
            Simulation simulation = Fitting.simulate(spec, fold, times, found);
            for (Times t : fold.part(true)) {
                all.add(t);
                after.add(simulation);
            }
        }
        List<CalibrationErrors> errors = new ArrayList<>();
        errors.add(of("ttft", all, after, before, (s, t) -> s.ttftNs(t.request()), Times::ttft, 1));
        errors.add(of("tpot", all, after, before, (s, t) -> s.tpotNs(t.request(), t.tokens()), Times::tpot, 2));
        errors.add(of("e2e", all, after, before, (s, t) -> s.e2eNs(t.request()), Times::e2e, 1));
        return errors.stream().filter(e -> e.real().length > 0).toList();
    }

    private static CalibrationErrors of(
            String metric,
            List<Times> times,
            List<Simulation> after,
            Simulation before,
            ToDoubleBiFunction<Simulation, Times> simulated,
            java.util.function.ToDoubleFunction<Times> measured,
            int minTokens) {
        int[] kept = java.util.stream.IntStream.range(0, times.size())
                .filter(i -> times.get(i).tokens() >= minTokens)
                .toArray();
        double[] real = new double[kept.length];
        double[] was = new double[kept.length];
        double[] is = new double[kept.length];
        for (int i = 0; i < kept.length; i++) {
            Times t = times.get(kept[i]);
            real[i] = measured.applyAsDouble(t);
            was[i] = simulated.applyAsDouble(before, t);
            is[i] = simulated.applyAsDouble(after.get(kept[i]), t);
        }
        return new CalibrationErrors(PART, metric, real, was, is);
    }
}
