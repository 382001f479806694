package dev.stagesim.stage.calibrate;

import dev.stagesim.measure.CalibrateSettings;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.calibrate.CalibrationData.Times;
import dev.stagesim.stage.calibrate.CalibrationErrors.Simulated;
import java.util.ArrayList;
import java.util.List;

/**
 * Predicts requests by a fit to other requests, so that all requests validate the fit. With several runs, each run is
 * predicted by a fit to the others, which shows the errors for a load that was not measured.
 *
 * @param before simulations of the runs with the original bundle
 */
record CrossValidation(
        ServingSpec spec,
        Evidence evidence,
        OperatorTimes times,
        CalibrateSettings settings,
        StageContext context,
        List<Simulation> before) {
    static final String PART = "cross_validated";
    static final String UNSEEN = "unseen_load";
    private static final int ENOUGH = 20;
    private static final int DEFAULT_FOLDS = 8;

    /** Returns the number of parts, or 0 for no cross-validation. */
    static int folds(CalibrateSettings settings, Evidence evidence) {
        int few = evidence.runs().size() < 2 && evidence.requests(true) < ENOUGH ? DEFAULT_FOLDS : 0;
        int folds = Math.min(settings.folds().orElse(few), evidence.requests());
        return folds < 2 ? 0 : folds;
    }

    /** Returns the errors of requests that are simulated with terms from a fit without them; there may be none. */
    List<CalibrationErrors> errors() {
        List<CalibrationErrors> errors = new ArrayList<>();
        int runs = evidence.runs().size();
        for (int run = 0; runs > 1 && run < runs; run++) {
            context.progress("predicting unseen loads", run, runs);
            Coefficients found = fitting(evidence.without(run)).coefficients();
            CalibrationData unseen = evidence.runs().get(run);
            List<Simulated> requests = new ArrayList<>();
            add(requests, unseen.times(), run, Fitting.simulate(spec, unseen, times, found));
            errors.addAll(CalibrationErrors.of(UNSEEN + "_" + (run + 1), requests));
        }
        errors.addAll(CalibrationErrors.of(PART, requestsInFolds()));
        return errors;
    }

    private List<Simulated> requestsInFolds() {
        int folds = folds(settings, evidence);
        List<Simulated> requests = new ArrayList<>();
        int done = 0;
        for (Evidence fold : folds == 0 ? List.<Evidence>of() : evidence.folds(folds, settings.seed())) {
            context.progress("cross-validating", done++, folds);
            if (fold.requests(false) < 2) {
                continue;
            }
            Coefficients found = fitting(fold).coefficients();
            for (int run = 0; run < fold.runs().size(); run++) {
                CalibrationData part = fold.runs().get(run);
                add(requests, part.part(true), run, Fitting.simulate(spec, part, times, found));
            }
        }
        return requests;
    }

    private Fitting fitting(Evidence part) {
        return new Fitting(spec, part, times, settings, context);
    }

    private void add(List<Simulated> requests, List<Times> of, int run, Simulation after) {
        of.forEach(t -> requests.add(new Simulated(t, before.get(run), after)));
    }
}
