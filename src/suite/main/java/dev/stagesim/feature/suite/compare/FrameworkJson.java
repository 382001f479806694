package dev.stagesim.feature.suite.compare;

import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import dev.stagesim.feature.suite.measured.PredictionError;
import dev.stagesim.feature.suite.measured.SuiteArtifacts;
import dev.stagesim.io.json.JsonValue;
import java.util.List;
import java.util.Optional;

/** Writes a suite comparison as {@code framework_comparison.json}. */
final class FrameworkJson {
    private FrameworkJson() {}

    static JsonValue of(FrameworkComparison c) {
        MeasuredWorkload workload = c.workload();
        List<JsonValue> predictions = c.predictions().stream()
                .map(prediction -> prediction(c, prediction))
                .toList();
        return JsonValue.object()
                .put("schema_version", SuiteArtifacts.FRAMEWORK_COMPARISON.version())
                .put("label", workload.label())
                .put("family", workload.family())
                .put("real_run", c.run().runId())
                .putOrNull("sim_run", c.sim().map(side -> side.run().runId()))
                .put("xla", workload.execution().isCompiled())
                .put("device", workload.execution().device())
                .put("step_ns", workload.times().step())
                .put("input_wait_ns", workload.times().input())
                .put("forward_pass_ns", workload.times().infer())
                .put("noise_percent", c.noise() * 100)
                .put("substitutions", JsonValue.strings(workload.substitutions()))
                .put("fitted_on", JsonValue.strings(fittedOn(c)))
                .put("predictions", JsonValue.of(predictions))
                .build();
    }

    /** Labels of the workloads in the fit of the efficiencies. */
    static List<String> fittedOn(FrameworkComparison c) {
        return c.checked().stream()
                .map(PredictionError::workload)
                .filter(workload -> !workload.family().equals(c.workload().family()) && workload.isByLayer())
                .map(MeasuredWorkload::label)
                .toList();
    }

    private static JsonValue prediction(FrameworkComparison c, FrameworkPrediction prediction) {
        MeasuredWorkload workload = c.workload();
        boolean isByLayer = workload.isByLayer() && prediction.sum() > 0;
        double whole = c.other()
                .filter(other -> prediction.key().equals("sim"))
                .map(other -> other.times().step())
                .orElse(prediction.sum());
        return JsonValue.object()
                .put("name", prediction.key())
                .put("ns", prediction.sum())
                .put(
                        "measured_ns",
                        number(Optional.of(prediction.measured(workload)).filter(ns -> isByLayer)))
                .put(
                        "step_difference_percent",
                        number(Optional.of(FrameworkComparison.percent(
                                        whole, workload.times().step()))
                                .filter(Double::isFinite)))
                .put("fold", number(prediction.fold(workload, c.settings().fit().minLayerNs())))
                .build();
    }

    private static JsonValue number(Optional<Double> value) {
        return value.<JsonValue>map(JsonValue::of).orElse(JsonValue.NULL);
    }
}
