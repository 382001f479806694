package dev.stagesim.verify.vidur;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.BatchOperators;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.metrics.LatencySketch;
import dev.stagesim.sim.serving.metrics.OperationLog;
import dev.stagesim.sim.serving.metrics.Usage;
import dev.stagesim.sim.serving.metrics.Utilization;
import dev.stagesim.sim.serving.replica.EventType;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** Simulates one case and compares each of its expected files with the result. */
final class VidurReplay {
    private final Path folder;
    private final Path expected;
    private final Differences differences = new Differences();

    VidurReplay(Path folder) {
        this.folder = folder;
        this.expected = folder.resolve("expected");
    }

    /** Returns the differences. */
    Differences run(ExportedTables tables) throws IOException {
        LocatedJson config = Json.read(folder.resolve("config.json"));
        LocatedJson summary = Json.read(expected.resolve("summary.json"));
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
        CaseRecorder recorder = new CaseRecorder(trace.size(), has("event_log.csv"));
        OperationTables operations = new OperationTables(spec, times);
        if (has("chrome_trace.json")) {
            recorder.trace.want();
        }
        Utilization utilization = new Utilization(spec);
        List<ServingRecorder> recorders = new ArrayList<>(List.of(recorder, utilization));
        if (has("operation_metrics.csv") || has("cpu_operation_metrics.csv")) {
            recorders.add(operations.log);
        }
        ServingOutcome outcome = ServingSimulator.run(spec, trace, times, recorders.toArray(new ServingRecorder[0]));
        recorder.finish();
        operations.log.finish();
        new SummaryCheck(summary, differences).compare(plan, outcome, recorder);
        compareTables(outcome, recorder);
        table("operation_metrics.csv", operations.model, Optional.empty());
        table("cpu_operation_metrics.csv", operations.cpu, Optional.empty());
        compareSketches(recorder);
        compareJson("utilization.json", UtilizationJson.of(spec, utilization));
        compareJson("chrome_trace.json", recorder.trace.json());
        return differences;
    }

    static String outcome(LocatedJson summary) {
        String error = summary.find("error_type").map(LocatedJson::asString).orElse("ok");
        return summary.find("phase").isPresent() ? error + " at start" : error;
    }

    private boolean has(String name) {
        return GoldenTable.locate(expected, name).isPresent();
    }

    private void compareTables(ServingOutcome outcome, CaseRecorder recorder) throws IOException {
        ActualTable requests = RequestMetricTable.of(outcome.states(), recorder);
        table("request_metrics.csv", requests, Optional.of("Request Id"));
        table("batch_metrics.csv", recorder.batches.metrics, Optional.empty());
        table("batch_composition.csv", recorder.batches.composition, Optional.empty());
        table("stages.csv", recorder.stages, Optional.empty());
        table("assignment.csv", recorder.assignment, Optional.empty());
        table("event_log.csv", recorder.eventLog, Optional.empty());
        table("prefill_completion_time_series.csv", recorder.prefillSeries, Optional.empty());
        table("decode_completion_time_series.csv", recorder.decodeSeries, Optional.empty());
    }

    private void compareSketches(CaseRecorder recorder) throws IOException {
        table(
                "decode_token_time_cdf.csv",
                cdf(recorder.tokenLatency, "decode_token_execution_plus_preemption_time"),
                Optional.empty());
        table("batch_execution_time_cdf.csv", cdf(recorder.batchTime, "batch_execution_time"), Optional.empty());
    }

    private static ActualTable cdf(LatencySketch sketch, String name) {
        ActualTable table = new ActualTable("cdf", name);
        for (int i = 0; i <= 100; i++) {
            table.add(i * 0.01, sketch.quantile(i * 0.01));
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
            try (InputStream in = InputFile.open(file.get())) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                differences.json(Json.parse(text, name), actual);
            }
        }
    }

    /** Utilisation under the reference's names. Values for which no time has passed are omitted. */
    private static final class UtilizationJson {
        private UtilizationJson() {}

        static JsonValue of(ServingSpec spec, Utilization utilization) {
            JsonObjectBuilder json = JsonValue.object();
            for (Usage usage : Usage.of(spec, utilization)) {
                if (!Double.isNaN(usage.mean())) {
                    json.put(usage.referenceName() + "_min", usage.min());
                    json.put(usage.referenceName() + "_max", usage.max());
                    json.put(usage.referenceName() + "_weighted_mean", usage.mean());
                }
            }
            return json.build();
        }
    }

    /** Operator times of a case's batches in the reference's columns. */
    private static final class OperationTables {
        final ActualTable model = table(BatchOperators.MODEL);
        final ActualTable cpu = table(BatchOperators.HOST);
        final OperationLog log;

        OperationTables(ServingSpec spec, OperatorTimes times) {
            this.log = new OperationLog(spec, times, this::row);
        }

        private static ActualTable table(List<String> operators) {
            return new ActualTable(
                    Stream.concat(Stream.of("Batch Id"), operators.stream()).toList());
        }

        private void row(long batch, double[] onDevice, double[] onHost) {
            model.add(cells(batch, onDevice));
            cpu.add(cells(batch, onHost));
        }

        private static Object[] cells(long batch, double[] row) {
            return DoubleStream.concat(DoubleStream.of((double) batch), DoubleStream.of(row))
                    .boxed()
                    .toArray();
        }
    }

    /** Compares a case's summary: outcome, memory plan, counts of events, batches, requests and restarts, end time. */
    private static final class SummaryCheck {
        private final LocatedJson summary;
        private final Differences differences;

        SummaryCheck(LocatedJson summary, Differences differences) {
            this.summary = summary;
            this.differences = differences;
        }

        void compare(MemoryPlan plan, ServingOutcome outcome, CaseRecorder recorder) {
            differences.text("outcome", VidurReplay.outcome(summary), errorClass(outcome));
            comparePlan(plan);
            number("end_time", outcome.endSeconds());
            number("events_total", outcome.events());
            Map<String, LocatedJson> events = summary.get("events").members();
            for (EventType type : EventType.values()) {
                double expected = Optional.ofNullable(events.get(type.logName()))
                        .map(LocatedJson::asDouble)
                        .orElse(0.0);
                differences.number("events/" + type.logName(), expected, (double) outcome.events(type));
            }
            number("requests_in_metrics", outcome.arrived());
            number("requests_completed", outcome.completed());
            number("restarts_total", restartsOfCompleted(outcome));
            number("batches", outcome.batches());
            number("batch_tokens_total", outcome.batchTokens());
            number("decode_completion_time_series_rows", recorder.decodeSeries.rows());
            number("prefill_completion_time_series_rows", recorder.prefillSeries.rows());
        }

        /** Returns the exception with which the reference stops in this situation. */
        private static String errorClass(ServingOutcome outcome) {
            return switch (outcome.ending()) {
                case FINISHED, TIME_LIMIT -> "ok";
                case STUCK -> "AssertionError";
                case NOT_COVERED -> "KeyError";
                case NO_OUTPUT -> "ZeroDivisionError";
                case OUT_OF_BLOCKS -> "RuntimeError";
            };
        }

        /** The reference records restarts when a request completes. */
        private static long restartsOfCompleted(ServingOutcome outcome) {
            long restarts = 0;
            for (int request = 0; request < outcome.states().size(); request++) {
                restarts +=
                        outcome.states().completed(request) ? outcome.states().restarts(request) : 0;
            }
            return restarts;
        }

        private void comparePlan(MemoryPlan plan) {
            LocatedJson planner = summary.get("planner");
            number(planner, "num_parameters_per_device", plan.parametersPerDevice());
            number(planner, "parameter_bytes_per_device", plan.parameterBytes());
            number(planner, "kv_bytes_per_device_per_request", plan.kvBytesPerRequest());
            number(planner, "max_batch_size_from_memory", plan.maxBatchFromMemory());
            number(planner, "max_request_slots", plan.requestSlots());
            number(planner, "num_blocks", plan.numBlocks());
            number(planner, "max_blocks_per_sequence", plan.blocksPerSequence());
            number(planner, "effective_max_batch_size", plan.effectiveMaxBatch());
            number(planner, "max_micro_batch_size", plan.microBatch());
            number(planner, "watermark_blocks", plan.watermarkBlocks());
        }

        private void number(String name, double actual) {
            number(summary, name, actual);
        }

        private void number(String name, long actual) {
            number(summary, name, (double) actual);
        }

        private void number(LocatedJson object, String name, long actual) {
            number(object, name, (double) actual);
        }

        /** Missing and null values of a summary do not apply to the case. */
        private void number(LocatedJson object, String name, double actual) {
            object.find(name).ifPresent(at -> differences.number(name, at.asDouble(), actual));
        }
    }
}
