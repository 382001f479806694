package dev.stagesim.feature.suite.compare;

import dev.stagesim.feature.suite.measured.Efficiencies;
import dev.stagesim.feature.suite.measured.MeasuredLayer;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Predicted times of a workload's layers; places without a prediction are absent.
 *
 * @param key name in the artifacts
 * @param title human-readable name
 * @param byPlace nanoseconds by layer and direction
 */
record FrameworkPrediction(String key, String title, Map<String, Double> byPlace) {
    static FrameworkPrediction of(
            String key, String title, MeasuredWorkload workload, ToDoubleFunction<MeasuredLayer> time) {
        Map<String, Double> byPlace = new LinkedHashMap<>();
        for (MeasuredLayer layer : workload.layers()) {
            double ns = time.applyAsDouble(layer);
            if (ns > 0) {
                byPlace.put(layer.place(), ns);
            }
        }
        return new FrameworkPrediction(key, title, byPlace);
    }

    /** Predicted time of a layer; empty if there is none. */
    Optional<Double> of(MeasuredLayer layer) {
        return Optional.ofNullable(byPlace.get(layer.place()));
    }

    /** Predicted time of all layers. */
    double sum() {
        return byPlace.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Measured time of the layers with a prediction. */
    double measured(MeasuredWorkload workload) {
        return workload.layers().stream()
                .filter(layer -> byPlace.containsKey(layer.place()))
                .mapToDouble(MeasuredLayer::measured)
                .sum();
    }

    /** Median error factor over layers that take at least {@code minLayerNs}; empty if layers were not measured. */
    Optional<Double> fold(MeasuredWorkload workload, long minLayerNs) {
        return Efficiencies.fold(workload, minLayerNs, layer -> of(layer).orElse(0.0));
    }
}
