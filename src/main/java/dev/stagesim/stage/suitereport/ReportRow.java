package dev.stagesim.stage.suitereport;

import java.util.List;
import java.util.Optional;

/**
 * A workload beside its predictions.
 *
 * @param workload the workload
 * @param heldOut its operations by efficiencies that were fitted on other families; empty where there are none
 * @param rooflineFold median factor by which the roofline is off
 * @param heldOutFold the same of the fitted times
 */
record ReportRow(
        MeasuredWorkload workload,
        Optional<Double> heldOut,
        Optional<Double> rooflineFold,
        Optional<Double> heldOutFold) {
    static ReportRow of(MeasuredWorkload workload, List<MeasuredWorkload> all, long leastNs) {
        Efficiencies others = Efficiencies.without(workload.family(), all);
        Optional<Double> roofline = Efficiencies.fold(workload, leastNs, MeasuredWorkload.Layer::roofline);
        if (others.isEmpty() || workload.layers().isEmpty()) {
            return new ReportRow(workload, Optional.empty(), roofline, Optional.empty());
        }
        double sum = workload.layers().stream().mapToDouble(others::predict).sum();
        return new ReportRow(
                workload, Optional.of(sum), roofline, Efficiencies.fold(workload, leastNs, others::predict));
    }
}
