package dev.stagesim.serving.config;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.util.Optional;

/** Overheads, limits and output files of a serving simulation: section {@code simulation}. */
public record SimulationSettings(
        @Key("Time at which the simulation stops, after the first later event; null to run until all requests "
                        + "are complete. | null | s | 0.000000001..1000000000")
                Optional<Double> timeLimit,
        @Key("Sequence length that the memory planner reserves; null for the longest request of the workload "
                        + "(with compat=vidur: at least 4096). | null | tokens | 1..1000000000")
                Optional<Integer> maxTokens,
        @Key("Overheads on top of predicted operator times.") Overheads overheads,
        @Key("Whether to write token_metrics.csv, one row per output token; null for the default of "
                        + "output.detail. | null")
                Optional<Boolean> tokenMetrics,
        @Key("Whether to write batch_metrics.csv; null for the default of output.detail. | null")
                Optional<Boolean> batchMetrics,
        @Key("Maximum number of events in trace.json, for the Perfetto UI; later events are dropped. 0 for no "
                        + "trace. | 50000 | events | 0..1000000000")
                int traceEvents,
        @Key("Counted batches and additional tables.") Metrics metrics,
        @Key("Whether a turn of a conversation extends the request of the previous turn. Like vLLM's "
                        + "resumable requests, it keeps its KV blocks and its place until the last turn ends. | false")
                @OnlyIf(
                        "scheduler.kind = vllm_v1 | only the engine vllm_v1 has resumable requests | use engine=vllm_v1")
                boolean resumableRequests,
        @Key("Whether to write report.html. | true") boolean report) {
    /** Batches that the metrics count, and optional tables. */
    public record Metrics(
            @Key("First batch that counts; requests that complete earlier are excluded. | null | "
                            + "0..1000000000000000000")
                    Optional<Long> minBatchIndex,
            @Key("Last batch that counts; requests that complete later are excluded. | null | "
                            + "0..1000000000000000000")
                    Optional<Long> maxBatchIndex,
            @Key("Whether to write operation_metrics.csv and cpu_operation_metrics.csv, one row per batch. | "
                            + "false")
                    boolean operations,
            @Key("Whether to write completion_series.csv, one row per arrival, completion and token. | false")
                    boolean completionSeries,
            @Key("Approximate number of rows of each completion series, sampled evenly; null for all. | null | "
                            + "rows | 1..1000000000")
                    @OnlyIf("completion_series = true | no series is written | set"
                            + " simulation.metrics.completion_series=true")
                    Optional<Integer> seriesPoints) {}

    /** Overheads on top of predicted operator times. */
    public record Overheads(
            @Key("Relative overhead of decode attention if a batch has several requests; grouped-query models "
                            + "only. null for 0, or 0.1 with compat=vidur. | null | 0..1000")
                    Optional<Double> attentionDecodeBatchingFraction,
            @Key("Relative overhead of prefill attention if a batch has several chunks; grouped-query models "
                            + "only. null for 0, or 0.1 with compat=vidur. | null | 0..1000")
                    Optional<Double> attentionPrefillBatchingFraction,
            @Key("Launch overhead of a collective on the host. | 0.02 | ms | 0..1000000000")
                    @OnlyIf(
                            "cluster.tensor_parallel_size > 1 | with cluster.tensor_parallel_size=1 there are no collectives")
                    double ncclCpuLaunchMs,
            @Key("Skew of the launches of a collective, multiplied by devices^1.25. | 0.0 | ms | 0..1000000000")
                    @OnlyIf(
                            "cluster.tensor_parallel_size > 1 | with cluster.tensor_parallel_size=1 there are no collectives")
                    double ncclCpuSkewPerDeviceMs,
            @Key("Whether each step includes the host overheads of the bundle (scheduling, input preparation, "
                            + "sampling, output handling, worker communication); null for true if the bundle has them, false "
                            + "with compat=vidur. | null")
                    Optional<Boolean> host,
            @Key("Whether the attention time of several prefill chunks is the sum over the chunks; false for the "
                            + "time of one chunk with the same number of token pairs, as in Vidur. null for true, or false "
                            + "with compat=vidur. | null")
                    Optional<Boolean> sumPrefillChunks) {}
}
