package dev.stagesim.verify.vidur;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.LatencySketch;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.Utilization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** Simulates one case and compares each expected file it has with what we get. */
final class CaseReplay {
    private final Path folder;
    private final Path expected;
    private final Differences differences = new Differences();

    CaseReplay(Path folder) {
        this.folder = folder;
        this.expected = folder.resolve("expected");
    }

    /** Returns what differs. */
    Differences run(ExportedTables tables) throws IOException {
        JsonAt config = Json.read(folder.resolve("config.json"));
        JsonAt summary = Json.read(expected.resolve("summary.json"));
        VidurCase vidurCase = new VidurCase(folder, config);
        boolean failsAtStart = summary.find("phase").isPresent();
        differences.begin("summary.json");
        ServingSpec spec;
        MemoryPlan plan;
        try {
            spec = vidurCase.spec();
            plan = MemoryPlan.of(spec);
        } catch (StageException e) {
            differences.text("outcome", outcome(summary), "AssertionError at start");
            return differences;
        }
        if (failsAtStart) {
            differences.add("outcome", outcome(summary), "started");
            return differences;
        }
        RequestTrace trace = vidurCase.trace();
        OperatorTimes times = tables.table(vidurCase.table(), vidurCase.granularity());
        CaseRecorder recorder = new CaseRecorder(
                spec,
                times,
                trace.size(),
                has("event_log.csv"),
                has("operation_metrics.csv") || has("cpu_operation_metrics.csv"));
        if (has("chrome_trace.json")) {
            recorder.trace.want();
        }
        Utilization utilization = new Utilization(spec);
        ServingOutcome outcome = ServingSimulator.run(spec, trace, times, recorder, utilization);
        recorder.finish(outcome.arrived());
        new SummaryCheck(summary, differences).compare(spec, plan, outcome, recorder);
        compareTables(outcome, recorder);
        compareSketches(recorder);
        compareJson("utilization.json", UtilizationJson.of(spec, utilization));
        compareJson("chrome_trace.json", recorder.trace.json());
        return differences;
    }

    static String outcome(JsonAt summary) {
        String error = summary.find("error_type").map(JsonAt::asString).orElse("ok");
        return summary.find("phase").isPresent() ? error + " at start" : error;
    }

    private boolean has(String name) {
        return GoldenTable.locate(expected, name).isPresent();
    }

    private void compareTables(ServingOutcome outcome, CaseRecorder recorder) throws IOException {
        ActualTable requests = RequestTable.of(outcome.states(), recorder.interArrival, outcome.arrived());
        table("request_metrics.csv", requests, Optional.of("Request Id"));
        table("batch_metrics.csv", recorder.batches.metrics, Optional.empty());
        table("batch_composition.csv", recorder.batches.composition, Optional.empty());
        table("stages.csv", recorder.stages, Optional.empty());
        table("assignment.csv", recorder.assignment, Optional.empty());
        table("event_log.csv", recorder.eventLog, Optional.empty());
        table("prefill_completion_time_series.csv", recorder.prefillSeries, Optional.empty());
        table("decode_completion_time_series.csv", recorder.decodeSeries, Optional.empty());
        table("operation_metrics.csv", recorder.operations.model, Optional.empty());
        table("cpu_operation_metrics.csv", recorder.operations.cpu, Optional.empty());
    }

    private void compareSketches(CaseRecorder recorder) throws IOException {
        table(
                "decode_token_time_cdf.csv",
                cdf(recorder.tokenLatency, "decode_token_execution_plus_preemption_time"),
                Optional.empty());
        table("batch_execution_time_cdf.csv", cdf(recorder.batchTime, "batch_execution_time"), Optional.empty());
    }

    private static ActualTable cdf(LatencySketch sketch, String name) {
        ActualTable table = new ActualTable();
        ActualTable.Numbers quantiles = table.numbers("cdf");
        ActualTable.Numbers values = table.numbers(name);
        for (int i = 0; i <= 100; i++) {
            quantiles.add(i * 0.01);
            values.add(sketch.quantile(i * 0.01));
            table.endRow();
        }
        return table;
    }

    private void table(String name, ActualTable actual, Optional<String> key) throws IOException {
        Optional<Path> file = GoldenTable.locate(expected, name);
        if (file.isPresent()) {
            differences.begin(name);
            differences.table(GoldenTable.read(file.get()), actual, key);
        }
    }

    private void compareJson(String name, JsonValue actual) throws IOException {
        Optional<Path> file = GoldenTable.locate(expected, name);
        if (file.isPresent()) {
            differences.begin(name);
            try (InputStream in = GoldenTable.open(file.get())) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                differences.json(Json.parse(text, name), actual);
            }
        }
    }
}
