package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.Optional;

/** What a serving simulation adds to the predicted times, when it stops and what it writes: section {@code simulation}. */
public record SimulationSettings(
        @Key(
                        doc = "Stop after the first event later than this; null to run until all requests are done.",
                        unit = "s",
                        def = "null",
                        min = "0",
                        above = true)
                Optional<Double> timeLimit,
        @Key(
                        doc = "Longest sequence the memory planner reserves for; null for the longest request of the"
                                + " workload (with compat=vidur: 4096, or the longest request if longer).",
                        unit = "tokens",
                        def = "null",
                        min = "1")
                Optional<Integer> maxTokens,
        @Key(doc = "Overheads added to the predicted operator times.") Overheads overheads,
        @Key(doc = "Whether to write token_metrics.csv, one row per output token.", def = "true") boolean tokenMetrics,
        @Key(doc = "Whether to write batch_metrics.csv.", def = "true") boolean batchMetrics,
        @Key(
                        doc = "Most events in trace.json, for the Perfetto UI; the trace ends there. 0 writes none.",
                        unit = "events",
                        def = "50000",
                        min = "0")
                int traceEvents,
        @Key(doc = "Which batches count, and further tables.") Metrics metrics,
        @Key(doc = "Whether to write report.html.", def = "true") boolean report) {
    /** Which batches count in the metrics, and tables that are written on demand. */
    public record Metrics(
            @Key(
                            doc = "First batch that counts; requests that complete in earlier ones are left out.",
                            def = "null",
                            min = "0")
                    Optional<Long> minBatchIndex,
            @Key(
                            doc = "Last batch that counts; requests that complete in later ones are left out.",
                            def = "null",
                            min = "0")
                    Optional<Long> maxBatchIndex,
            @Key(
                            doc =
                                    "Whether to write operation_metrics.csv and cpu_operation_metrics.csv, a row per batch.",
                            def = "false")
                    boolean operations,
            @Key(
                            doc = "Whether to write completion_series.csv, a row per arrival, completion and token.",
                            def = "false")
                    boolean completionSeries,
            @Key(
                            doc = "About how many rows each completion series keeps, evenly picked; null for all.",
                            unit = "rows",
                            def = "null",
                            min = "1")
                    Optional<Integer> seriesPoints) {}

    /** Overheads added to the predicted operator times. */
    public record Overheads(
            @Key(
                            doc = "Extra share of decode attention when several requests share a batch; grouped-query"
                                    + " models only.",
                            def = "0.1",
                            min = "0")
                    double attentionDecodeBatchingFraction,
            @Key(
                            doc = "Extra share of prefill attention when several chunks share a batch; grouped-query"
                                    + " models only.",
                            def = "0.1",
                            min = "0")
                    double attentionPrefillBatchingFraction,
            @Key(doc = "Launch overhead of a collective on the host.", unit = "ms", def = "0.02", min = "0")
                    double ncclCpuLaunchMs,
            @Key(
                            doc = "Skew of a collective's launches, multiplied by devices^1.25.",
                            unit = "ms",
                            def = "0.0",
                            min = "0")
                    double ncclCpuSkewPerDeviceMs,
            @Key(
                            doc = "Whether to add the host overheads of the bundle (scheduling, input preparation,"
                                    + " sampling, output handling, worker communication) to every step; null to add"
                                    + " those that the bundle has (with compat=vidur: not to).",
                            def = "null")
                    Optional<Boolean> host,
            @Key(
                            doc = "Whether the attention of several prefill chunks in a batch is the sum of each alone;"
                                    + " false for that of one chunk with as many pairs of tokens, as in Vidur.",
                            def = "false")
                    boolean sumPrefillChunks) {}
}
