package dev.stagesim.stage.calibrate;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.model.Count;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.stage.calibrate.CalibrationData.Times;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.Quantiles;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Simulation errors in one metric over one part of the requests, in percent of the measurement.
 *
 * @param part fit, held_out, cross_validated, or unseen_load with the number of the run
 * @param metric ttft, tpot, e2e, or step: the mean times of groups of logged steps
 * @param real measured values in ns
 * @param before values simulated with the original bundle
 * @param after values simulated with the calibrated bundle
 */
record CalibrationErrors(String part, String metric, double[] real, double[] before, double[] after) {
    static final String HELD_OUT = "held_out";
    static final String FIT = "fit";
    static final String STEP = "step";

    /** Error of a median, in percent, that a calibration need not improve. */
    private static final double NEGLIGIBLE = 1;

    /** Minimum number of held-out values for an error without a caution. */
    private static final int MIN_VALIDATION = 20;

    /** A measured request with its simulations before and after the calibration. */
    record Simulated(Times times, Simulation before, Simulation after) {}

    /** Returns the errors in each metric; none for a metric without requests. */
    static List<CalibrationErrors> of(String part, List<Simulated> requests) {
        List<Simulated> decoding =
                requests.stream().filter(r -> r.times().tokens() > 1).toList();
        return Stream.of(
                        of(part, "ttft", requests, Times::ttft, (s, t) -> s.ttftNs(t.request())),
                        of(part, "tpot", decoding, Times::tpot, (s, t) -> s.tpotNs(t.request(), t.tokens())),
                        of(part, "e2e", requests, Times::e2e, (s, t) -> s.e2eNs(t.request())))
                .filter(e -> e.real.length > 0)
                .toList();
    }

    private static CalibrationErrors of(
            String part,
            String metric,
            List<Simulated> requests,
            ToDoubleFunction<Times> real,
            ToDoubleBiFunction<Simulation, Times> simulated) {
        return new CalibrationErrors(
                part,
                metric,
                requests.stream()
                        .mapToDouble(r -> real.applyAsDouble(r.times()))
                        .toArray(),
                requests.stream()
                        .mapToDouble(r -> simulated.applyAsDouble(r.before(), r.times()))
                        .toArray(),
                requests.stream()
                        .mapToDouble(r -> simulated.applyAsDouble(r.after(), r.times()))
                        .toArray());
    }

    /**
     * Returns the errors of the groups of logged steps in both parts.
     *
     * @param gap time between two steps in the simulation after the calibration, which the log excludes
     */
    static List<CalibrationErrors> ofSteps(Evidence evidence, StepTimes before, StepTimes after, double gap) {
        int context = evidence.meanContext();
        return Stream.of(FIT, HELD_OUT)
                .map(part -> {
                    List<LoggedSteps.Group> groups = part.equals(FIT)
                            ? evidence.steps().fitted()
                            : evidence.steps().heldOut();
                    return new CalibrationErrors(
                            part,
                            STEP,
                            groups.stream()
                                    .mapToDouble(g -> g.seconds() * NS_PER_S)
                                    .toArray(),
                            groups.stream()
                                    .mapToDouble(g -> g.seconds(before, context) * NS_PER_S)
                                    .toArray(),
                            groups.stream()
                                    .mapToDouble(g -> (g.seconds(after, context) - gap) * NS_PER_S)
                                    .toArray());
                })
                .filter(e -> e.real.length > 0)
                .toList();
    }

    /** Returns cautions: a small validation set, and predictions of other requests that did not improve. */
    static List<String> cautions(List<CalibrationErrors> errors) {
        List<CalibrationErrors> few = errors.stream()
                .filter(e -> e.part().equals(HELD_OUT) && e.real.length < MIN_VALIDATION)
                .toList();
        Stream<String> small = few.stream()
                .min(Comparator.comparingInt(e -> e.real.length))
                .map(e -> "the validation set has only " + Count.of(e.real.length, "value") + " of "
                        + few.stream().map(CalibrationErrors::label).collect(Collectors.joining(", "))
                        + ": its errors are not reliable; use a measurement with more requests")
                .stream();
        Stream<String> worse = errors.stream()
                .filter(e -> e.part().equals(CrossValidation.PART))
                .filter(e -> Math.abs(e.median(e.after)) >= Math.max(NEGLIGIBLE, Math.abs(e.median(e.before))))
                .map(e -> "the calibration does not improve " + e.label() + " of requests that were not fitted: error"
                        + " of the cross-validated median " + Numbers.percent(e.median(e.before)) + " before, "
                        + Numbers.percent(e.median(e.after)) + " calibrated");
        return Stream.concat(small, worse).toList();
    }

    private String label() {
        return metric.equals(STEP) ? "step times" : metric.toUpperCase(Locale.ROOT);
    }

    double median(double[] simulated) {
        double value = Quantiles.of(real, 0.5);
        return 100 * (Quantiles.of(simulated, 0.5) - value) / value;
    }

    /** Returns the 95 % interval of the error of the median, over resampled requests. */
    Interval interval(double[] simulated, int resamples, long seed) {
        double[] errors = new double[resamples];
        double[] drawnReal = new double[real.length];
        double[] drawnSimulated = new double[real.length];
        RandomStream random = RandomStream.of(seed, "intervals");
        for (int r = 0; r < resamples; r++) {
            for (int i = 0; i < real.length; i++) {
                int at = (int) random.below(real.length);
                drawnReal[i] = real[at];
                drawnSimulated[i] = simulated[at];
            }
            double value = Quantiles.of(drawnReal, 0.5);
            errors[r] = 100 * (Quantiles.of(drawnSimulated, 0.5) - value) / value;
        }
        double[] sorted = Quantiles.sorted(errors);
        return new Interval(Quantiles.ofSorted(sorted, 0.025), Quantiles.ofSorted(sorted, 0.975));
    }

    double mean(double[] simulated) {
        return IntStream.range(0, real.length)
                .mapToDouble(i -> 100 * Math.abs(simulated[i] - real[i]) / real[i])
                .average()
                .orElseThrow();
    }

    /** Returns the measured median over the simulated median before the calibration. */
    double ratioBefore() {
        return Quantiles.of(real, 0.5) / Quantiles.of(before, 0.5);
    }
}
