package dev.stagesim.serving.tables;

import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.model.card.BatchOperators;
import java.util.List;
import java.util.stream.Collectors;

/** Tables of simulated runs only: utilisation and time by part. */
public final class SimulationTables {
    /** Values of the column {@code times} of tables of token times. */
    public static final List<String> MEASURED_TIMES = List.of("first_token", "between_tokens");

    /** Quantities of {@link #UTILIZATION}. */
    static final List<String> QUANTITIES = List.of("memory_usage", "busy_time_percent", "mfu");

    /** Series of {@link #COMPLETIONS}. */
    static final List<String> SERIES =
            List.of("request_arrival", "request_completion", "prefill_completion", "decode_completion");

    public static final TableSchema UTILIZATION = TableSchema.of(
            """
            utilization.csv 1 | Memory use, busy time and efficiency of each stage, one row per replica, stage and
                    quantity.
            replica_id | int 0.. | Replica.
            stage_id | int? 0.. | Pipeline stage; empty for the replica's memory.
            quantity | text QUANTITIES | KV blocks in use, time with a batch, or model
                    FLOPs, in percent of the maximum.
            min_percent | real % 0.. | Minimum.
            max_percent | real % 0.. | Maximum.
            mean_percent | real? % 0.. | Mean over time; empty if no time passed.
            [reference_name] | text | Name of Vidur's file; only with compat=vidur.
            """
                    .replace("QUANTITIES", String.join("/", QUANTITIES)));

    public static final TableSchema STEP_PARTS = TableSchema.of(
            """
            step_parts.csv 3 | Parts of the steps of a simulated engine, one row per kind of step, means over its
                    steps.
            kind | text decode/prefill/mixed | Contents of the step: decodes, prompts, or both.
            steps | int 1.. | Steps of the kind, each pipeline stage counted.
            host_bound_steps | int 0.. | Steps in which the device waits longer for the host than it computes.
            step_us | real us 0.. | The whole step.
            attention_us | real us 0.. | Attention.
            matmul_us | real us 0.. | Matrix products, experts included.
            elementwise_us | real us 0.. | Element-wise kernels.
            communication_us | real us 0.. | Collectives between devices.
            head_us | real us 0.. | Output head.
            sampler_us | real us 0.. | Sampling of tokens.
            kernel_gap_us | real us 0.. | Idle time of the device between kernels.
            host_us | real us 0.. | Time in which the device waits for the host.
            drafts_us | real us 0.. | Proposal and verification of drafts, with speculative decoding.
            """);

    public static final TableSchema TOKEN_TIME_CDF = cdf(
            "decode_token_time_cdf.csv",
            "decode_token_time_s",
            "Time of output tokens after the first: from the request's last iteration to the token.");

    public static final TableSchema TOKEN_TIMES = TableSchema.of(
            """
            token_times.csv 1 | Histogram of token times over the whole run, for runs too long for token_metrics.csv;
                    buckets are at most 1/1024 of their lower bound wide.
            times | text TIMES | Time from arrival to the first token, or between
                    consecutive tokens.
            from_ns | int ns 0.. | Lower bound of the bucket; for the first, the minimum of all tokens.
            to_ns | int ns 0.. | Upper bound of the bucket; for the last, the maximum of all tokens.
            tokens | int 1.. | Tokens in the bucket.
            share | real 0.. | Share of the tokens with at most to_ns.
            """
                    .replace("TIMES", String.join("/", MEASURED_TIMES)),
            new RowInvariant.NotBefore("to_ns", "from_ns"));

    public static final TableSchema BATCH_TIME_CDF = cdf(
            "batch_execution_time_cdf.csv", "batch_execution_time_s", "Time of batches from formation to completion.");

    public static final TableSchema COMPLETIONS = TableSchema.of(
            """
            completion_series.csv 1 | Arrivals and completions over time, rows of all series in order of time.
            series | text SERIES | Counted events:
                    requests, or tokens of prompts and outputs.
            time_s | real s 0.. | Time of the event.
            total | int 1.. | Number of events so far, including this one.
            """
                    .replace("SERIES", String.join("/", SERIES)));

    public static final TableSchema LOAD = TableSchema.of(
            """
            load_series.csv 2 | Batches, memory, queue and cache in at most 240 intervals of equal length; written
                    with the report, or if output.detail omits rows. Empty without samples.
            start_s | real s 0.. | Start of the interval, since the first arrival.
            end_s | real s 0.. | End of the interval.
            mean_batch_size | real? 0.. | Mean requests per batch.
            mean_kv_percent | real? % 0.. | Mean KV-cache use of a replica.
            max_kv_percent | real? % 0.. | Maximum KV-cache use of a replica.
            mean_waiting | real? 0.. | Mean number of waiting requests.
            max_waiting | real? 0.. | Maximum number of waiting requests.
            preemptions | int 0.. | Preemptions.
            prompt_tokens | int 0.. | Prompt tokens that were looked up in the prefix cache; 0 without a cache.
            cached_tokens | int 0.. | Prompt tokens that were found there.
            """);

    public static final TableSchema OPERATIONS = operations(
            "operation_metrics.csv 1 | Operator times of one layer, one row per batch in order of their end; mean over"
                    + " stages. Experts that several engines share are in step_parts.csv only.",
            BatchOperators.MODEL);

    public static final TableSchema HOST_OPERATIONS = operations(
            "cpu_operation_metrics.csv 1 | Host times and whole model time of a stage, one row per batch in order of"
                    + " their end.",
            BatchOperators.HOST);

    private SimulationTables() {}

    private static TableSchema cdf(String name, String value, String doc) {
        return TableSchema.of(
                """
                FILE 1 | DOC Quantiles 0 to 1 by hundredths from a sketch with 0.1 % relative accuracy.
                cdf | real 0.. | Share of values at or below the quantile.
                VALUE | real s 0.. | The quantile.
                """
                        .replace("FILE", name)
                        .replace("DOC", doc)
                        .replace("VALUE", value));
    }

    private static TableSchema operations(String head, List<String> operators) {
        return TableSchema.of(head
                + "\nbatch_id | int 0.. | Number of the batch.\n"
                + operators.stream()
                        .map(name -> name + " | real? ms 0.. | Time of " + name + "; empty if the batch has none.")
                        .collect(Collectors.joining("\n")));
    }

    public static List<TableSchema> all() {
        return List.of(
                UTILIZATION,
                STEP_PARTS,
                TOKEN_TIME_CDF,
                TOKEN_TIMES,
                BATCH_TIME_CDF,
                COMPLETIONS,
                LOAD,
                OPERATIONS,
                HOST_OPERATIONS);
    }
}
