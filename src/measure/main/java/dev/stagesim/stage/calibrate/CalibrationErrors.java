package dev.stagesim.stage.calibrate;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.stage.calibrate.CalibrationData.Times;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Simulation errors in one metric over one part of the requests, in percent of the measurement.
 *
 * @param part fit, held_out or cross_validated
 * @param metric ttft, tpot or e2e
 * @param real measured values in ns
 * @param before values simulated with the original bundle
 * @param after values simulated with the calibrated bundle
 */
record CalibrationErrors(String part, String metric, double[] real, double[] before, double[] after) {
    static List<CalibrationErrors> of(CalibrationData measured, Simulation before, Simulation after) {
        List<CalibrationErrors> all = new ArrayList<>();
        for (boolean heldOut : new boolean[] {false, true}) {
            String part = heldOut ? "held_out" : "fit";
            List<Times> times = measured.part(heldOut);
            List<Times> decoding = times.stream().filter(t -> t.tokens() > 1).toList();
            all.add(of(
                    part, "ttft", times, Times::ttft, t -> before.ttftNs(t.request()), t -> after.ttftNs(t.request())));
            all.add(of(
                    part,
                    "tpot",
                    decoding,
                    Times::tpot,
                    t -> before.tpotNs(t.request(), t.tokens()),
                    t -> after.tpotNs(t.request(), t.tokens())));
            all.add(of(part, "e2e", times, Times::e2e, t -> before.e2eNs(t.request()), t -> after.e2eNs(t.request())));
        }
        return all.stream().filter(e -> e.real.length > 0).toList();
    }

    private static CalibrationErrors of(
            String part,
            String metric,
            List<Times> times,
            ToDoubleFunction<Times> real,
            ToDoubleFunction<Times> before,
            ToDoubleFunction<Times> after) {
        return new CalibrationErrors(
                part,
                metric,
                times.stream().mapToDouble(real).toArray(),
                times.stream().mapToDouble(before).toArray(),
                times.stream().mapToDouble(after).toArray());
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
