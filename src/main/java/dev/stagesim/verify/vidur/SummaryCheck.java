package dev.stagesim.verify.vidur;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.sim.serving.EventType;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSpec;
import java.util.Map;
import java.util.Optional;

/** Compares a case's summary: outcome, memory plan, counts of events, batches, requests and restarts, end time. */
final class SummaryCheck {
    private final JsonAt summary;
    private final Differences differences;

    SummaryCheck(JsonAt summary, Differences differences) {
        this.summary = summary;
        this.differences = differences;
    }

    void compare(ServingSpec spec, MemoryPlan plan, ServingOutcome outcome, CaseRecorder recorder) {
        differences.text("outcome", CaseReplay.outcome(summary), errorClass(outcome));
        comparePlan(plan);
        number("end_time", outcome.endSeconds());
        number("events_total", outcome.events());
        Map<String, JsonAt> events = summary.get("events").members();
        for (EventType type : EventType.values()) {
            double expected = Optional.ofNullable(events.get(type.logName()))
                    .map(JsonAt::asDouble)
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

    /** The exception that the reference stops with in the same situation. */
    private static String errorClass(ServingOutcome outcome) {
        return switch (outcome.ending()) {
            case FINISHED, TIME_LIMIT -> "ok";
            case STUCK -> "AssertionError";
            case NOT_COVERED -> "KeyError";
            case NO_OUTPUT -> "ZeroDivisionError";
            case OUT_OF_BLOCKS -> "RuntimeError";
        };
    }

    /** The reference writes down restarts when a request completes. */
    private static long restartsOfCompleted(ServingOutcome outcome) {
        long restarts = 0;
        for (int request = 0; request < outcome.states().size(); request++) {
            restarts += outcome.states().completed(request) ? outcome.states().restarts(request) : 0;
        }
        return restarts;
    }

    private void comparePlan(MemoryPlan plan) {
        JsonAt planner = summary.get("planner");
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

    private void number(JsonAt object, String name, long actual) {
        number(object, name, (double) actual);
    }

    /** Values that a summary leaves out or null do not apply to the case. */
    private void number(JsonAt object, String name, double actual) {
        object.find(name).ifPresent(at -> differences.number(name, at.asDouble(), actual));
    }
}
