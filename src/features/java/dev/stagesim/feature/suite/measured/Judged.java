package dev.stagesim.feature.suite.measured;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A workload beside its predictions.
 *
 * @param workload the workload
 * @param heldOut efficiencies that were fitted on the other families; empty where there are none
 * @param rooflineFold median factor by which the roofline is off, over layers and directions
 * @param systolicFold the same of the array, over those that multiply
 * @param heldOutFold the same of the fitted times
 */
public record Judged(
        MeasuredWorkload workload,
        Optional<Efficiencies> heldOut,
        Optional<Double> rooflineFold,
        Optional<Double> systolicFold,
        Optional<Double> heldOutFold) {

    /** Judges a workload; nothing is fitted on its own family. */
    public static Judged of(MeasuredWorkload workload, List<MeasuredWorkload> all, long leastNs) {
        Optional<Efficiencies> others =
                Optional.of(Efficiencies.without(workload.family(), all)).filter(fitted -> !fitted.isEmpty());
        return new Judged(
                workload,
                others,
                Efficiencies.fold(workload, leastNs, MeasuredLayer::roofline),
                Efficiencies.fold(workload, leastNs, MeasuredLayer::systolic),
                others.flatMap(fitted -> Efficiencies.fold(workload, leastNs, fitted::predict)));
    }

    /** Judges every workload from the other families, by family and label. */
    public static List<Judged> each(List<MeasuredWorkload> workloads, long leastNs) {
        List<MeasuredWorkload> sorted = new ArrayList<>(workloads);
        sorted.sort(Comparator.comparing(MeasuredWorkload::family).thenComparing(MeasuredWorkload::label));
        return sorted.stream().map(workload -> of(workload, sorted, leastNs)).toList();
    }

    /** The workloads of every family, in their order. */
    public static Map<String, List<Judged>> families(List<Judged> all) {
        Map<String, List<Judged>> families = new LinkedHashMap<>();
        all.forEach(one -> families.computeIfAbsent(one.workload().family(), key -> new ArrayList<>())
                .add(one));
        return families;
    }

    /** The step by fitted times; empty where nothing was fitted. */
    public Optional<Double> heldOutNs() {
        return heldOut.map(fitted ->
                workload.layers().stream().mapToDouble(fitted::predict).sum());
    }
}
