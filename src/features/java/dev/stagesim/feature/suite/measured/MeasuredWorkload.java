package dev.stagesim.feature.suite.measured;

import java.util.List;

/**
 * A measured workload; times in nanoseconds.
 *
 * @param label name in the suite
 * @param family family
 * @param ran how it ran
 * @param substitutions what differed from what it asks for
 * @param losses digests of the losses of every process
 * @param steps medians of training steps by process
 * @param times medians over all processes
 * @param layers layers and directions in order, empty without traced steps
 * @param ops operations, those that take longest first, empty without traced steps
 */
public record MeasuredWorkload(
        String label,
        String family,
        Ran ran,
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
     * How a workload ran.
     *
     * @param device cpu or gpu
     * @param precision type that was computed with
     * @param isCompiled whether the step was compiled, so that its operations cannot be told apart
     * @param threads operators at once times threads of one
     * @param batch samples of a step
     * @param framework framework and its version
     */
    public record Ran(
            String device, String precision, boolean isCompiled, String threads, long batch, String framework) {}

    /**
     * Medians over all processes.
     *
     * @param step training step without its input
     * @param input wait for a batch, beside the step
     * @param infer forward pass
     * @param accounted what operations and what is outside them add up to over the step; 0 when unknown
     */
    public record Times(double step, double input, double infer, double accounted) {}

    /** How far apart equal processes were: the greatest median step over the least, less 1; 0 for one process. */
    public double noise() {
        double least = Double.MAX_VALUE;
        double most = 0;
        for (double one : steps) {
            least = Math.min(least, one);
            most = Math.max(most, one);
        }
        return steps.length == 0 || least == 0 ? 0 : most / least - 1;
    }

    /** Operations of a step together; 0 where they cannot be told apart. */
    public double measured() {
        return layers.stream().mapToDouble(MeasuredLayer::measured).sum();
    }

    /** Least time of a step; nothing in it is fitted. */
    public double roofline() {
        return layers.stream().mapToDouble(MeasuredLayer::roofline).sum();
    }

    /** Time of a step's products on an array; nothing in it is fitted. */
    public double systolic() {
        return layers.stream().mapToDouble(MeasuredLayer::systolic).sum();
    }

    /** Whether layers have measured times of their own: not where the step was compiled, nor without traced steps. */
    public boolean isByLayer() {
        return !ran.isCompiled() && !ops.isEmpty();
    }

    /** Whether processes that ran the same had the same losses; true of one process, too. */
    public boolean hasEqualLosses() {
        return losses.stream().distinct().count() == 1;
    }
}
