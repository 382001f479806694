package dev.stagesim.feature.suite.measured;

import dev.stagesim.stats.Quantiles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * How much of a roofline classes of operators reach: sums of rooflines over sums of measured times.
 *
 * <p>Compiled workloads take no part: their operations cannot be told apart.
 */
public final class Efficiencies {
    /**
     * A class of operators.
     *
     * @param layers layers and directions that it was fitted on
     * @param efficiency share of the roofline that it reaches
     */
    public record Fitted(long layers, double efficiency) {}

    private static final class Sum {
        private double roofline;
        private double measured;
        private long layers;

        private void add(MeasuredLayer layer) {
            roofline += layer.roofline();
            measured += layer.measured();
            layers++;
        }
    }

    private final Map<String, Sum> sums = new TreeMap<>();
    private final Sum all = new Sum();

    private Efficiencies() {}

    /** Fits on workloads. */
    public static Efficiencies of(List<MeasuredWorkload> workloads) {
        Efficiencies fitted = new Efficiencies();
        for (MeasuredWorkload workload : workloads) {
            if (!workload.isByLayer()) {
                continue;
            }
            for (MeasuredLayer layer : workload.layers()) {
                if (layer.measured() > 0 && layer.roofline() > 0) {
                    fitted.sums.computeIfAbsent(layer.type(), key -> new Sum()).add(layer);
                    fitted.all.add(layer);
                }
            }
        }
        return fitted;
    }

    /** Fits on all workloads but those of a family. */
    public static Efficiencies without(String family, List<MeasuredWorkload> workloads) {
        return of(workloads.stream()
                .filter(workload -> !workload.family().equals(family))
                .toList());
    }

    /** Whether it was fitted on nothing. */
    public boolean isEmpty() {
        return all.layers == 0;
    }

    /** Classes in the order of their names. */
    public Map<String, Fitted> classes() {
        Map<String, Fitted> shown = new TreeMap<>();
        sums.forEach((type, sum) -> shown.put(type, new Fitted(sum.layers, sum.roofline / sum.measured)));
        return shown;
    }

    /** Predicted time of a layer; a class that was not seen takes the efficiency of all. */
    public double predict(MeasuredLayer layer) {
        Sum sum = sums.getOrDefault(layer.type(), all);
        return layer.roofline() * sum.measured / sum.roofline;
    }

    /** Median factor by which a prediction is off, over layers that take at least some time; empty when there are none. */
    public static Optional<Double> fold(
            MeasuredWorkload workload, long leastNs, ToDoubleFunction<MeasuredLayer> predicted) {
        if (!workload.isByLayer()) {
            return Optional.empty();
        }
        double[] folds = workload.layers().stream()
                .filter(layer -> layer.measured() >= Math.max(1, leastNs) && predicted.applyAsDouble(layer) > 0)
                .mapToDouble(layer -> factor(predicted.applyAsDouble(layer), layer.measured()))
                .toArray();
        return folds.length == 0 ? Optional.empty() : Optional.of(Quantiles.of(folds, 0.5));
    }

    /** The factor by which one time is off another, 1 or more. */
    public static double factor(double predicted, double measured) {
        return Math.max(predicted / measured, measured / predicted);
    }
}
