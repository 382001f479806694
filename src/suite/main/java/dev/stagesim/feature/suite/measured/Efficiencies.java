package dev.stagesim.feature.suite.measured;

import dev.stagesim.stats.Quantiles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Efficiency of operator classes: sum of roofline times divided by sum of measured times.
 *
 * <p>Compiled workloads are excluded, because their operations cannot be separated.
 */
public final class Efficiencies {
    /**
     * Fit of an operator class.
     *
     * @param layers number of layers and directions in the fit
     * @param efficiency fraction of the roofline
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

    /** Fits the efficiencies on workloads. */
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

    /** Fits the efficiencies on the workloads of all other families. */
    static Efficiencies without(String family, List<MeasuredWorkload> workloads) {
        return of(workloads.stream()
                .filter(workload -> !workload.family().equals(family))
                .toList());
    }

    /** True if the fit has no data. */
    boolean isEmpty() {
        return all.layers == 0;
    }

    /** Classes in the order of their names. */
    public Map<String, Fitted> classes() {
        Map<String, Fitted> classes = new TreeMap<>();
        sums.forEach((type, sum) -> classes.put(type, new Fitted(sum.layers, sum.roofline / sum.measured)));
        return classes;
    }

    /** Predicts the time of a layer; an unseen class uses the efficiency of all classes. */
    public double predict(MeasuredLayer layer) {
        Sum sum = sums.getOrDefault(layer.type(), all);
        return layer.roofline() * sum.measured / sum.roofline;
    }

    /**
     * Median error factor of a prediction over layers that take at least {@code minLayerNs}; empty if there are none.
     */
    public static Optional<Double> fold(
            MeasuredWorkload workload, long minLayerNs, ToDoubleFunction<MeasuredLayer> predicted) {
        if (!workload.isByLayer()) {
            return Optional.empty();
        }
        double[] folds = workload.layers().stream()
                .filter(layer -> layer.measured() >= Math.max(1, minLayerNs) && predicted.applyAsDouble(layer) > 0)
                .mapToDouble(layer -> factor(predicted.applyAsDouble(layer), layer.measured()))
                .toArray();
        return folds.length == 0 ? Optional.empty() : Optional.of(Quantiles.of(folds, 0.5));
    }

    /** Error factor between two times, at least 1. */
    public static double factor(double predicted, double measured) {
        return Math.max(predicted / measured, measured / predicted);
    }
}
