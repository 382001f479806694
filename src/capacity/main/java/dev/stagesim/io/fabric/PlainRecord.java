package dev.stagesim.io.fabric;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.Queueing;

/** Converts metrics to the members of a run record of Atlas Fabric. */
final class PlainRecord {
    private static final JsonValue.Obj ARTIFACTS = JsonValue.object()
            .put("env", "sim://manifest")
            .put("logs", "sim://logs")
            .put("trace", "sim://trace")
            .build();

    private PlainRecord() {}

    static JsonValue.Obj of(CapacityFigures figures) {
        return builder(figures).build();
    }

    static JsonValue.Obj of(CapacityFigures figures, Queueing.Waiting waiting) {
        return builder(figures)
                .put("queue_metrics", metrics(waiting))
                .put("queue_adjusted", adjusted(waiting))
                .build();
    }

    static JsonValue.Obj artifacts() {
        return ARTIFACTS;
    }

    private static JsonObjectBuilder builder(CapacityFigures figures) {
        return JsonValue.object()
                .put("tokens_per_sec", figures.tokensPerSecond())
                .put("flop_utilization", figures.flopUtilization())
                .put("hbm_bw_util", figures.memoryUtilization())
                .put("comm_compute_ratio", figures.commComputeRatio())
                .put("step_time_ms", figures.stepMs())
                .put("p50_ms", figures.p50Ms())
                .put("p95_ms", figures.p95Ms())
                .put("p99_ms", figures.p99Ms())
                .put("ttft_ms", figures.ttftMs())
                .put("peak_mem_gb", figures.peakMemoryGb())
                .put("node_power_w", figures.nodeWatts())
                .put("retries", figures.retries())
                .put("failures", 0)
                .put("artifacts", ARTIFACTS);
    }

    private static JsonValue.Obj adjusted(Queueing.Waiting waiting) {
        return JsonValue.object()
                .put("p50_ms", waiting.latencies().p50Ms())
                .put("p95_ms", waiting.latencies().p95Ms())
                .put("p99_ms", waiting.latencies().p99Ms())
                .put("ttft_ms", waiting.latencies().ttftMs())
                .put("waiting_fraction_p99", waiting.waitingFractionP99())
                .build();
    }

    private static JsonValue.Obj metrics(Queueing.Waiting waiting) {
        return JsonValue.object()
                .put("arrival_rate", waiting.arrivalRate())
                .put("servers", waiting.servers())
                .put("service_mean_ms", waiting.serviceMeanMs())
                .put("service_cv", waiting.serviceVariation())
                .put("arrival_cv", waiting.arrivalVariation())
                .put("utilization", waiting.utilization())
                .put("p50_latency_ms", waiting.latencies().p50Ms())
                .put("p95_latency_ms", waiting.latencies().p95Ms())
                .put("p99_latency_ms", waiting.latencies().p99Ms())
                .put("ttft_latency_ms", waiting.latencies().ttftMs())
                .put("wait_p50_ms", waiting.waits().p50Ms())
                .put("wait_p95_ms", waiting.waits().p95Ms())
                .put("wait_p99_ms", waiting.waits().p99Ms())
                .put("wait_ttft_ms", waiting.waits().ttftMs())
                .put("waiting_fraction_p99", waiting.waitingFractionP99())
                .build();
    }
}
