package dev.stagesim.sim.training;

import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One factor on the shares of the peaks that a device reaches, fitted to measured steps of one model, device and precision.
 *
 * <p>The factor makes the median of predicted over measured one. Each step is predicted once more with the factor of the others, which
 * tells how far a step that was not measured may be off.
 *
 * @param factor of products and attention; memory, links and the host keep their rates
 * @param bound the bound that the factor was held at; 0 when it is free
 * @param steps the steps, in the order given
 */
public record Calibration(double factor, double bound, List<Step> steps) {
    private static final double MEDIAN = 0.5;
    private static final double LEAST = 0.2;
    private static final int HALVINGS = 60;

    public Calibration {
        steps = List.copyOf(steps);
    }

    /** A measured step: what was trained, how, and its seconds. */
    public record Measured(TrainingJob job, Strategy strategy, Layout layout, double seconds) {}

    /**
     * A step beside its predictions.
     *
     * @param measured the step
     * @param plain seconds without a factor
     * @param leftOut seconds with the factor of the other steps; those of {@code plain} when there is no other
     */
    public record Step(Measured measured, double plain, double leftOut) {
        /** How far the prediction with the others' factor is off; 0.1 is 10 % too slow. */
        public double error() {
            return leftOut / measured.seconds() - 1;
        }
    }

    /** Fits the factor. */
    public static Calibration fit(Architecture model, TrainingMachine machine, List<Measured> measured) {
        Fit fit = new Fit(model, machine, measured);
        int[] all = IntStream.range(0, measured.size()).toArray();
        double factor = fit.factor(all);
        List<Step> steps = IntStream.range(0, measured.size())
                .mapToObj(i -> {
                    int[] others = Arrays.stream(all).filter(j -> j != i).toArray();
                    double theirs = others.length == 0 ? 1 : fit.factor(others);
                    return new Step(measured.get(i), fit.seconds(i, 1), fit.seconds(i, theirs));
                })
                .toList();
        boolean isHeld = factor == LEAST || factor == fit.most;
        return new Calibration(factor, isHeld ? factor : 0, steps);
    }

    /** Median of the absolute errors of steps that the factor was not fitted to. */
    public double medianError() {
        return Quantiles.of(
                steps.stream().mapToDouble(step -> Math.abs(step.error())).toArray(), MEDIAN);
    }

    /** The largest of them. */
    public double worstError() {
        return steps.stream().mapToDouble(step -> Math.abs(step.error())).max().orElse(0);
    }

    /** Predictions at a factor: the larger the factor, the shorter the step. */
    private static final class Fit {
        private final Architecture model;
        private final TrainingMachine machine;
        private final List<Measured> measured;
        private final double most;

        Fit(Architecture model, TrainingMachine machine, List<Measured> measured) {
            this.model = model;
            this.machine = machine;
            this.measured = measured;
            most = machine.mostEfficient(measured.get(0).job().precision());
        }

        double seconds(int step, double factor) {
            Measured one = measured.get(step);
            return new StepModel(model, machine.efficient(factor), one.job())
                    .estimate(one.strategy(), one.layout())
                    .step();
        }

        double factor(int[] steps) {
            double low = LEAST;
            double high = most;
            if (ratio(steps, low) <= 1) {
                return low;
            }
            if (ratio(steps, high) >= 1) {
                return high;
            }
            for (int i = 0; i < HALVINGS; i++) {
                double middle = (low + high) / 2;
                if (ratio(steps, middle) > 1) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            return (low + high) / 2;
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
