package dev.stagesim.feature.suite.measured;

import java.util.Arrays;
import java.util.List;

/**
 * A measured workload; times in nanoseconds.
 *
 * @param label name in the suite
 * @param family family in the suite
 * @param execution execution settings
 * @param substitutions differences from the workload's requirements
 * @param losses loss digests of all processes
 * @param steps median training steps by process
 * @param times medians over all processes
 * @param layers layers and directions in order, empty without traced steps
 * @param ops operations, slowest first, empty without traced steps
 */
public record MeasuredWorkload(
        String label,
        String family,
        Execution execution,
        List<String> substitutions,
        List<String> losses,
        double[] steps,
        Times times,
        List<MeasuredLayer> layers,
        List<MeasuredOp> ops) {
    public MeasuredWorkload {
        substitutions = List.copyOf(substitutions);
        losses = List.copyOf(losses);
        layers = List.copyOf(layers);
        ops = List.copyOf(ops);
    }

    /**
     * Execution settings of a workload.
     *
     * @param device cpu or gpu
     * @param precision compute type
     * @param isCompiled true if the step was compiled, so that its operations cannot be separated
     * @param threads parallel operators times threads per operator
     * @param batch samples per step
     * @param framework framework and its version
     */
    public record Execution(
            String device, String precision, boolean isCompiled, String threads, long batch, String framework) {}

    /**
     * Medians over all processes.
     *
     * @param step training step without its input
     * @param input wait for a batch, outside the step
     * @param infer forward pass
     * @param accounted sum of operations and other parts divided by the step; 0 if unknown
     */
    public record Times(double step, double input, double infer, double accounted) {}

    /** Spread of equal processes: maximum median step divided by the minimum, minus 1; 0 for one process. */
    public double noise() {
        double fastest = Arrays.stream(steps).min().orElse(0);
        return fastest == 0 ? 0 : Arrays.stream(steps).max().orElseThrow() / fastest - 1;
    }

    /** Total time of a step's operations; 0 if they cannot be separated. */
    public double measured() {
        return layers.stream().mapToDouble(MeasuredLayer::measured).sum();
    }

    /** Lower bound of a step; uses no fit. */
    public double roofline() {
        return layers.stream().mapToDouble(MeasuredLayer::roofline).sum();
    }

    /** Time of a step's products on an array; uses no fit. */
    public double systolic() {
        return layers.stream().mapToDouble(MeasuredLayer::systolic).sum();
    }

    /** True if layers have separate measured times, that is, the step was traced and not compiled. */
    public boolean isByLayer() {
        return !execution.isCompiled() && !ops.isEmpty();
    }

    /** True if equal processes had equal losses; also true for one process. */
    public boolean hasEqualLosses() {
        return losses.stream().distinct().count() == 1;
    }
}
