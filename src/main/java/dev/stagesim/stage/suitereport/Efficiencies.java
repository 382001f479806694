package dev.stagesim.stage.suitereport;

import dev.stagesim.stage.suitereport.MeasuredWorkload.Layer;
import dev.stagesim.stats.Quantiles;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/** How much of a roofline classes of operators reach: sums of rooflines over sums of measured times. */
final class Efficiencies {
    private final Map<String, double[]> sums = new TreeMap<>();
    private final double[] all = new double[3];

    private Efficiencies() {}

    /** Fits on workloads. */
    static Efficiencies of(List<MeasuredWorkload> workloads) {
        Efficiencies fitted = new Efficiencies();
        for (MeasuredWorkload workload : workloads) {
            for (Layer layer : workload.layers()) {
                if (layer.measured() > 0 && layer.roofline() > 0) {
                    add(fitted.sums.computeIfAbsent(layer.type(), key -> new double[3]), layer);
                    add(fitted.all, layer);
                }
            }
        }
        return fitted;
    }

    /** Fits on all workloads but those of a family. */
    static Efficiencies without(String family, List<MeasuredWorkload> workloads) {
        return of(workloads.stream()
                .filter(workload -> !workload.family().equals(family))
                .toList());
    }

    private static void add(double[] sum, Layer layer) {
        sum[0] += layer.roofline();
        sum[1] += layer.measured();
        sum[2]++;
    }

    boolean isEmpty() {
        return all[2] == 0;
    }

    /** Classes with the number of layers they were fitted on and their efficiency. */
    Map<String, double[]> classes() {
        Map<String, double[]> shown = new TreeMap<>();
        sums.forEach((type, sum) -> shown.put(type, new double[] {sum[2], sum[0] / sum[1]}));
        return shown;
    }

    /** Predicted time of a layer; a class that was not seen takes the efficiency of all. */
    double predict(Layer layer) {
        double[] sum = sums.getOrDefault(layer.type(), all);
        return layer.roofline() * sum[1] / sum[0];
    }

    /** Median factor by which a prediction is off, over layers that take at least some time; empty when there are none. */
    static Optional<Double> fold(MeasuredWorkload workload, long leastNs, ToDoubleFunction<Layer> predicted) {
        double[] folds = workload.layers().stream()
                .filter(layer -> layer.measured() >= Math.max(1, leastNs) && layer.roofline() > 0)
                .mapToDouble(layer -> {
                    double ratio = predicted.applyAsDouble(layer) / layer.measured();
                    return Math.max(ratio, 1 / ratio);
                })
                .toArray();
        return folds.length == 0 ? Optional.empty() : Optional.of(Quantiles.of(folds, 0.5));
    }
}
