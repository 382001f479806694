package dev.stagesim.sim.training;

import dev.stagesim.stats.Bisection;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Factor on the peak efficiency of a device, fitted to measured steps of one model, device and precision.
 *
 * <p>With this factor the median ratio of predicted to measured time is 1. Leave-one-out predictions estimate the error for a step that
 * was not measured.
 *
 * @param factor factor on the rates of products and attention; the rates of memory, links and the host do not change
 * @param bound lower or upper bound if the factor reached it, otherwise 0
 * @param steps measured steps in input order
 */
public record Calibration(double factor, double bound, List<Step> steps) {
    private static final double MEDIAN = 0.5;
    private static final double MIN_FACTOR = 0.2;
    private static final int HALVINGS = 60;

    public Calibration {
        steps = List.copyOf(steps);
    }

    /** A measured step. {@code seconds} is its duration. */
    public record Measured(TrainingJob job, Strategy strategy, Layout layout, double seconds) {}

    /**
     * A measured step and its predictions.
     *
     * @param measured measured step
     * @param plain predicted seconds without a factor
     * @param leftOut predicted seconds with a factor fitted to all other steps; equals {@code plain} if there are no others
     */
    public record Step(Measured measured, double plain, double leftOut) {
        /** Returns the relative error of the leave-one-out prediction; 0.1 means 10 % too slow. */
        public double error() {
            return leftOut / measured.seconds() - 1;
        }
    }

    /** Fits the factor to the measured steps by bisection. */
    public static Calibration fit(Architecture model, TrainingMachine machine, List<Measured> measured) {
        Fit fit = new Fit(model, machine, measured);
        int[] all = IntStream.range(0, measured.size()).toArray();
        double factor = fit.factor(all);
        List<Step> steps = IntStream.range(0, measured.size())
                .mapToObj(i -> {
                    int[] others = Arrays.stream(all).filter(j -> j != i).toArray();
                    double withoutThis = others.length == 0 ? 1 : fit.factor(others);
                    return new Step(measured.get(i), fit.seconds(i, 1), fit.seconds(i, withoutThis));
                })
                .toList();
        boolean isAtBound = factor == MIN_FACTOR || factor == fit.maxFactor;
        return new Calibration(factor, isAtBound ? factor : 0, steps);
    }

    /** Returns the median absolute leave-one-out error. */
    public double medianError() {
        return Quantiles.of(
                steps.stream().mapToDouble(step -> Math.abs(step.error())).toArray(), MEDIAN);
    }

    /** Returns the maximum absolute leave-one-out error. */
    public double worstError() {
        return steps.stream().mapToDouble(step -> Math.abs(step.error())).max().orElse(0);
    }

    /** Predicts the measured steps for a given factor. Predicted time decreases as the factor increases. */
    private static final class Fit {
        private final Architecture model;
        private final TrainingMachine machine;
        private final List<Measured> measured;
        private final double maxFactor;

        Fit(Architecture model, TrainingMachine machine, List<Measured> measured) {
            this.model = model;
            this.machine = machine;
            this.measured = measured;
            maxFactor = machine.maxEfficiencyFactor(measured.get(0).job().precision());
        }

        double seconds(int step, double factor) {
            Measured target = measured.get(step);
            return new StepEstimator(model, machine.withEfficiencyFactor(factor), target.job())
                    .estimate(target.strategy(), target.layout())
                    .step();
        }

        double factor(int[] steps) {
            double low = MIN_FACTOR;
            double high = maxFactor;
            if (ratio(steps, low) <= 1) {
                return low;
            }
            if (ratio(steps, high) >= 1) {
                return high;
            }
            return Bisection.halve(low, high, factor -> ratio(steps, factor) > 1, 0, HALVINGS)
                    .middle();
        }

        private double ratio(int[] steps, double factor) {
            return Quantiles.of(
                    Arrays.stream(steps)
                            .mapToDouble(
                                    i -> seconds(i, factor) / measured.get(i).seconds())
                            .toArray(),
                    MEDIAN);
        }
    }
}
