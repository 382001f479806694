package dev.stagesim.feature.suite.measured;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A workload with its prediction errors.
 *
 * @param workload the workload
 * @param heldOut efficiencies fitted on the other families; empty if there are none
 * @param rooflineFold median error factor of the roofline over layers and directions
 * @param systolicFold median error factor of the array over layers with products
 * @param heldOutFold median error factor of the fitted times
 */
public record PredictionError(
        MeasuredWorkload workload,
        Optional<Efficiencies> heldOut,
        Optional<Double> rooflineFold,
        Optional<Double> systolicFold,
        Optional<Double> heldOutFold) {

    /** Computes the errors of a workload; the fit excludes its own family. */
    public static PredictionError of(MeasuredWorkload workload, List<MeasuredWorkload> all, long minLayerNs) {
        Optional<Efficiencies> others =
                Optional.of(Efficiencies.without(workload.family(), all)).filter(fitted -> !fitted.isEmpty());
        return new PredictionError(
                workload,
                others,
                Efficiencies.fold(workload, minLayerNs, MeasuredLayer::roofline),
                Efficiencies.fold(workload, minLayerNs, MeasuredLayer::systolic),
                others.flatMap(fitted -> Efficiencies.fold(workload, minLayerNs, fitted::predict)));
    }

    /** Computes the errors of every workload from the other families, sorted by family and label. */
    public static List<PredictionError> each(List<MeasuredWorkload> workloads, long minLayerNs) {
        List<MeasuredWorkload> sorted = new ArrayList<>(workloads);
        sorted.sort(Comparator.comparing(MeasuredWorkload::family).thenComparing(MeasuredWorkload::label));
        return sorted.stream().map(workload -> of(workload, sorted, minLayerNs)).toList();
    }

    /** Groups the workloads by family, in their order. */
    public static Map<String, List<PredictionError>> families(List<PredictionError> all) {
        Map<String, List<PredictionError>> families = new LinkedHashMap<>();
        all.forEach(one -> families.computeIfAbsent(one.workload().family(), key -> new ArrayList<>())
                .add(one));
        return families;
    }

    /** Step time predicted by the fit; empty if there is no fit. */
    public Optional<Double> heldOutNs() {
        return heldOut.map(fitted ->
                workload.layers().stream().mapToDouble(fitted::predict).sum());
    }
}
