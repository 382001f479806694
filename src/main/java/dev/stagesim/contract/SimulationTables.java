package dev.stagesim.contract;

import dev.stagesim.model.BatchOperators;
import java.util.List;
import java.util.stream.Collectors;

/** Tables that only a simulated run has: how its machines were used and where the time went. */
public final class SimulationTables {
    /** Quantities of {@link #UTILIZATION}. */
    public static final List<String> QUANTITIES = List.of("memory_usage", "busy_time_percent", "mfu");

    /** Series of {@link #COMPLETIONS}. */
    public static final List<String> SERIES =
            List.of("request_arrival", "request_completion", "prefill_completion", "decode_completion");

    public static final TableSchema UTILIZATION = TableSchema.of(
            """
            utilization.csv 1 | How full memory was and how busy and efficient each stage was, one row per replica,
                    stage and quantity.
            replica_id | int 0.. | Replica.
            stage_id | int? 0.. | Pipeline stage; empty for the replica's memory.
            quantity | text QUANTITIES | KV blocks in use, time with a batch, or model
                    FLOPs, each in percent of all there is.
            min_percent | real % 0.. | Least value.
            max_percent | real % 0.. | Greatest value.
            mean_percent | real? % 0.. | Mean over time; empty when no time passed.
            [reference_name] | text | Vidur's name of the file; with compat=vidur only.
            """
                    .replace("QUANTITIES", String.join("/", QUANTITIES)));

    public static final TableSchema STEP_PARTS = TableSchema.of(
            """
            step_parts.csv 3 | What steps are made of where an engine is simulated, one row per kind of step, means
                    over its steps.
            kind | text decode/prefill/mixed | What is in it: decodes, prompts, or both.
            steps | int 1.. | Steps of the kind, each pipeline stage counted.
            host_bound_steps | int 0.. | Those for which the device waits longer for the host than it works.
            step_us | real us 0.. | The whole step.
            attention_us | real us 0.. | Attention.
            matmul_us | real us 0.. | Matrix products, experts included.
            elementwise_us | real us 0.. | Element-wise kernels.
            communication_us | real us 0.. | Collectives between devices.
            head_us | real us 0.. | Output head.
            sampler_us | real us 0.. | Choosing tokens.
            kernel_gap_us | real us 0.. | Idle time of the device between kernels.
            host_us | real us 0.. | Time for which the device waits for the host.
            drafts_us | real us 0.. | Making drafts and checking them, with speculative decoding.
            """);

    public static final TableSchema TOKEN_TIME_CDF = cdf(
            "decode_token_time_cdf.csv",
            "decode_token_time_s",
            "Time of output tokens after the first: from the request's last iteration to the token.");

    public static final TableSchema TOKEN_TIMES = TableSchema.of(
            """
            token_times.csv 1 | How long tokens took over the whole run, where token_metrics.csv would be too long: tokens
                    counted by time, in buckets no wider than 1/1024 of their least time.
            times | text TIMES | Time from arrival to the first token, or from a
                    token to the next.
            from_ns | int ns 0.. | Least time of the bucket; of the first one, of all tokens.
            to_ns | int ns 0.. | Greatest time of the bucket; of the last one, of all tokens.
            tokens | int 1.. | Tokens in it.
            share | real 0.. | Share of the tokens that took at most to_ns.
            """
                    .replace("TIMES", String.join("/", Tables.TOKEN_TIMES)),
            new RowInvariant.NotBefore("to_ns", "from_ns"));

    public static final TableSchema BATCH_TIME_CDF =
            cdf("batch_execution_time_cdf.csv", "batch_execution_time_s", "Time of batches from formation to end.");

    public static final TableSchema COMPLETIONS = TableSchema.of(
            """
            completion_series.csv 1 | How requests and tokens came and were done over time, rows of all series in
                    order of time.
            series | text SERIES | What is counted:
                    requests, or tokens of prompts and outputs.
            time_s | real s 0.. | When.
            total | int 1.. | How many so far, this one included.
            """
                    .replace("SERIES", String.join("/", SERIES)));

    public static final TableSchema LOAD = TableSchema.of(
            """
            load_series.csv 2 | The run in at most 240 stretches of equal length: batches, memory, queue and cache;
                    with the report or where
                    output.detail leaves out rows. Empty where nothing was sampled.
            start_s | real s 0.. | Start of the interval, since the first arrival.
            end_s | real s 0.. | Its end.
            mean_batch_size | real? 0.. | Mean requests of a batch.
            mean_kv_percent | real? % 0.. | Mean KV cache in use of a replica.
            max_kv_percent | real? % 0.. | Greatest.
            mean_waiting | real? 0.. | Mean requests that wait on replicas.
            max_waiting | real? 0.. | Greatest.
            preemptions | int 0.. | Requests that lost their memory.
            prompt_tokens | int 0.. | Prompt tokens that the prefix cache was asked for; 0 without one.
            cached_tokens | int 0.. | Those that it had.
            """);

    public static final TableSchema OPERATIONS = operations(
            "operation_metrics.csv 1 | Operator times of one layer, one row per batch in order of their end; mean over"
                    + " stages. Without the experts that engines share, which step_parts.csv has.",
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
                cdf | real 0.. | Share of values at or below.
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
                        .map(name -> name + " | real? ms 0.. | Time of " + name + "; empty where a batch has none.")
                        .collect(Collectors.joining("\n")));
    }

    /** All tables, in the order of the reference page. */
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
