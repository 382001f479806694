package dev.stagesim.io.fabric;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.Queueing.Waiting;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Averages the phases of a schedule, weighted by their minutes. */
final class PhaseAverages {
    private final List<PlainSchedule.Phase> phases;
    private final double minutes;
    private final double total;

    private PhaseAverages(List<PlainSchedule.Phase> phases) {
        this.phases = phases;
        double sum = 0;
        double atLeastOne = 0;
        for (PlainSchedule.Phase phase : phases) {
            sum += phase.weight();
            atLeastOne += Math.max(1.0, phase.weight());
        }
        this.minutes = sum;
        this.total = sum <= 0 ? atLeastOne : sum;
    }

    static JsonValue.Obj of(List<PlainSchedule.Phase> phases) {
        return new PhaseAverages(phases).record();
    }

    private double average(ToDoubleFunction<PlainSchedule.Phase> figure) {
        double sum = 0.0;
        for (PlainSchedule.Phase phase : phases) {
            sum += phase.weight() * figure.applyAsDouble(phase);
        }
        return sum / total;
    }

    private double service(ToDoubleFunction<CapacityFigures> figure) {
        return average(phase -> figure.applyAsDouble(phase.figures()));
    }

    private double queue(ToDoubleFunction<Waiting> figure) {
        return average(phase -> phase.waiting().map(figure::applyAsDouble).orElse(0.0));
    }

    /** Returns the latency with waiting if available, otherwise the service latency. */
    private double latency(ToDoubleFunction<Waiting> waiting, ToDoubleFunction<CapacityFigures> served) {
        return average(phase ->
                phase.waiting().map(waiting::applyAsDouble).orElseGet(() -> served.applyAsDouble(phase.figures())));
    }

    private JsonValue.Obj record() {
        double p50 = latency(waiting -> waiting.latencies().p50Ms(), CapacityFigures::p50Ms);
        double p95 = latency(waiting -> waiting.latencies().p95Ms(), CapacityFigures::p95Ms);
        double p99 = latency(waiting -> waiting.latencies().p99Ms(), CapacityFigures::p99Ms);
        double ttft = latency(waiting -> waiting.latencies().ttftMs(), CapacityFigures::ttftMs);
        return JsonValue.object()
                .put("tokens_per_sec", service(CapacityFigures::tokensPerSecond))
                .put("flop_utilization", Math.min(1.0, service(CapacityFigures::flopUtilization)))
                .put("hbm_bw_util", Math.min(1.0, service(CapacityFigures::memoryUtilization)))
                .put("comm_compute_ratio", service(CapacityFigures::commComputeRatio))
                .put("step_time_ms", service(CapacityFigures::stepMs))
                .put("node_power_w", service(CapacityFigures::nodeWatts))
                .put("service_latency_ms", served())
                .put("queue_latency_ms", quantiles(p50, p95, p99, ttft))
                .put(
                        "queue_wait_ms",
                        quantiles(
                                queue(waiting -> waiting.waits().p50Ms()),
                                queue(waiting -> waiting.waits().p95Ms()),
                                queue(waiting -> waiting.waits().p99Ms()),
                                queue(waiting -> waiting.waits().p50Ms())))
                .put("queue_utilization", queue(Waiting::utilization))
                .put("queue_arrival_rate_rps", queue(Waiting::arrivalRate))
                .put("queue_servers", queue(Waiting::servers))
                .put("queue_wait_fraction_p99", queue(Waiting::waitingFractionP99))
                .put("p50_ms", p50)
                .put("p95_ms", p95)
                .put("p99_ms", p99)
                .put("ttft_ms", ttft)
                .put("peak_mem_gb", maximum(CapacityFigures::peakMemoryGb))
                .put("retries", retries())
                .put("failures", 0)
                .put("artifacts", PlainRecord.artifacts())
                .put("schedule_breakdown", breakdown())
                .put("schedule_total_minutes", minutes)
                .put("schedule_effects", true)
                .build();
    }

    private JsonValue.Obj served() {
        return quantiles(
                service(CapacityFigures::p50Ms),
                service(CapacityFigures::p95Ms),
                service(CapacityFigures::p99Ms),
                service(CapacityFigures::ttftMs));
    }

    private long retries() {
        return phases.stream().mapToLong(phase -> phase.figures().retries()).sum();
    }

    private JsonValue breakdown() {
        return JsonValue.of(phases.stream().map(PlainSchedule.Phase::entry).toList());
    }

    private double maximum(ToDoubleFunction<CapacityFigures> figure) {
        return phases.stream()
                .mapToDouble(phase -> figure.applyAsDouble(phase.figures()))
                .max()
                .orElseThrow();
    }

    private static JsonValue.Obj quantiles(double p50, double p95, double p99, double ttft) {
        return JsonValue.object()
                .put("p50", p50)
                .put("p95", p95)
                .put("p99", p99)
                .put("ttft", ttft)
                .build();
    }
}
