package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.util.Optional;

/** What a serving simulation adds to the predicted times, when it stops and what it writes: section {@code simulation}. */
public record SimulationSettings(
        @Key("Stop after the first event later than this; null to run until all requests are done. | null | s |"
                        + " 0.000000001..1000000000")
                Optional<Double> timeLimit,
        @Key(
                        "Longest sequence the memory planner reserves for; null for the longest request of the workload"
                                + " (with compat=vidur: 4096, or the longest request if longer). | null | tokens | 1..1000000000")
                Optional<Integer> maxTokens,
        @Key("Overheads added to the predicted operator times.") Overheads overheads,
        @Key("Whether to write token_metrics.csv, one row per output token; null for what output.detail says. | null")
                Optional<Boolean> tokenMetrics,
        @Key("Whether to write batch_metrics.csv; null for what output.detail says. | null")
                Optional<Boolean> batchMetrics,
        @Key(
                        "Maximum number of events in trace.json, for the Perfetto UI; the trace ends there. 0 writes none. | 50000 |"
                                + " events | 0..1000000000")
                int traceEvents,
        @Key("Which batches count, and further tables.") Metrics metrics,
        @Key("Whether a turn of a conversation extends the request of the turn before, as vLLM's resumable requests do,"
                        + " which keep their KV blocks and their place until the last turn ends. | false")
                @OnlyIf("scheduler.kind = vllm_v1 | only the engine vllm_v1 has such requests | use engine=vllm_v1")
                boolean resumableRequests,
        @Key("Whether to write report.html. | true") boolean report) {
    /** Which batches count in the metrics, and tables that are written on demand. */
    public record Metrics(
            @Key(
                            "First batch that counts; requests that complete in earlier ones are left out. | null | 0..1000000000000000000")
                    Optional<Long> minBatchIndex,
            @Key(
                            "Last batch that counts; requests that complete in later ones are left out. | null | 0..1000000000000000000")
                    Optional<Long> maxBatchIndex,
            @Key("Whether to write operation_metrics.csv and cpu_operation_metrics.csv, a row per batch. | false")
                    boolean operations,
            @Key("Whether to write completion_series.csv, a row per arrival, completion and token. | false")
                    boolean completionSeries,
            @Key(
                            "About how many rows each completion series keeps, evenly picked; null for all. | null | rows | 1..1000000000")
                    @OnlyIf("completion_series = true | no series is written | set"
                            + " simulation.metrics.completion_series=true")
                    Optional<Integer> seriesPoints) {}

    /** Overheads added to the predicted operator times. */
    public record Overheads(
            @Key("Extra share of decode attention when several requests share a batch; grouped-query models only. null"
                            + " for 0, or 0.1 with compat=vidur. | null | 0..1000")
                    Optional<Double> attentionDecodeBatchingFraction,
            @Key("Extra share of prefill attention when several chunks share a batch; grouped-query models only. null"
                            + " for 0, or 0.1 with compat=vidur. | null | 0..1000")
                    Optional<Double> attentionPrefillBatchingFraction,
            @Key("Launch overhead of a collective on the host. | 0.02 | ms | 0..1000000000")
                    @OnlyIf(
                            "cluster.tensor_parallel_size > 1 | with cluster.tensor_parallel_size=1 there are no collectives")
                    double ncclCpuLaunchMs,
            @Key("Skew of a collective's launches, multiplied by devices^1.25. | 0.0 | ms | 0..1000000000")
                    @OnlyIf(
                            "cluster.tensor_parallel_size > 1 | with cluster.tensor_parallel_size=1 there are no collectives")
                    double ncclCpuSkewPerDeviceMs,
            @Key("Whether to add the host overheads of the bundle (scheduling, input preparation, sampling, output"
                            + " handling, worker communication) to every step; null to add those that the bundle has (with"
                            + " compat=vidur: not to). | null")
                    Optional<Boolean> host,
            @Key("Whether the attention of several prefill chunks in a batch is the sum of each alone; false for the"
                            + " attention of one chunk with the same number of token pairs, as in Vidur. null for true,"
                            + " or false with compat=vidur. | null")
                    Optional<Boolean> sumPrefillChunks) {}
}
