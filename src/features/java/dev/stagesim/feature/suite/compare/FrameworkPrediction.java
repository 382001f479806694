package dev.stagesim.feature.suite.compare;

import dev.stagesim.feature.suite.measured.Efficiencies;
import dev.stagesim.feature.suite.measured.MeasuredLayer;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Times of a workload's layers from somewhere else than its measurement; places it says nothing of are left out.
 *
 * @param key name in the artifacts
 * @param title name for people
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

    /** Its time of a layer; empty where it says nothing of it. */
    Optional<Double> of(MeasuredLayer layer) {
        return Optional.ofNullable(byPlace.get(layer.place()));
    }

    /** All layers together. */
    double sum() {
        return byPlace.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** What was measured of the layers that it says something of. */
    double measured(MeasuredWorkload workload) {
        return workload.layers().stream()
                .filter(layer -> byPlace.containsKey(layer.place()))
                .mapToDouble(MeasuredLayer::measured)
                .sum();
    }

    /** Median factor that it is off, over layers that take long enough; empty where layers were not measured. */
    Optional<Double> fold(MeasuredWorkload workload, long leastNs) {
        return Efficiencies.fold(workload, leastNs, layer -> of(layer).orElse(0.0));
    }
}
