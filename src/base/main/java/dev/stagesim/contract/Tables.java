package dev.stagesim.contract;

/** Tables that stages exchange. Times are integer nanoseconds since the start of the run. */
public final class Tables {
    public static final TableSchema TRACE_LENGTHS = TableSchema.of(
            """
            trace_lengths.csv 1 | Prompt and output lengths of a workload, one row per request.
            request_id | int 0.. | Number of the request, from 0 in order of arrival.
            prompt_id | text | Prompt the request uses; several requests may share one.
            num_prefill_tokens | int tokens 1.. | Prompt tokens.
            num_decode_tokens | int tokens 1.. | Requested output tokens.
            """,
            new RowInvariant.Increasing("request_id"));

    public static final TableSchema TRACE_TOKENS = TableSchema.of(
            """
            trace_tokens.csv 1 | Tokens that requests of a workload have in common, as runs of consecutive token
                    numbers: the start of each prompt, in order. Further tokens of prompt i are numbered from
                    (2i+1) x 2^32, its output from (2i+2) x 2^32. Requests without rows share nothing.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            first_token | int 0.. | Number of the first token of the run.
            num_tokens | int tokens 1.. | Tokens of the run.
            """);

    public static final TableSchema TRACE_LABELS = TableSchema.of(
            """
            trace_labels.csv 1 | Labels of the requests of a workload, one row per request.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            adapter | int 0.. | LoRA adapter of the request, from 1; 0 for the base model.
            priority | int 0.. | Priority of the request; a lower value is more urgent.
            """,
            new RowInvariant.Increasing("request_id"));

    public static final TableSchema TRACE_RANKS = TableSchema.of(
            """
            trace_ranks.csv 1 | Execution trace of each processor, if processors share files: one row per range of
                    ranks, from 0 without gaps.
            first_rank | int 0.. | First processor of the range.
            last_rank | int 0.. | Last processor of the range.
            file | text | Name of the trace, in the directory of this table.
            """,
            new RowInvariant.Increasing("first_rank"),
            new RowInvariant.NotBefore("last_rank", "first_rank"));

    public static final TableSchema TRACE_INTERVALS = TableSchema.of(
            """
            trace_intervals.csv 1 | Arrival times of a workload, one row per request in order of arrival.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            inter_arrival_ns | int ns 0.. | Time since the previous request; for the first, since time 0.
            arrival_time_ns | int ns 0.. | Arrival time.
            """,
            new RowInvariant.Increasing("request_id"),
            new RowInvariant.RunningSum("arrival_time_ns", "inter_arrival_ns"));

    public static final TableSchema REQUEST_METRICS = TableSchema.of(
            """
            request_metrics.csv 1 | Times of every request of a run, one row per request in order of request_id.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            arrival_time_ns | int ns 0.. | Arrival time.
            first_token_time_ns | int? ns 0.. | Time of its first output token; empty without output.
            ttft_ns | int? ns 0.. | Time to first token: first_token_time_ns - arrival_time_ns.
            completion_time_ns | int? ns 0.. | Time of its last output token; empty unless completed.
            num_prefill_tokens | int tokens 0.. | Prompt tokens.
            num_decode_tokens | int tokens 0.. | Requested output tokens.
            num_decode_tokens_actual | int tokens 0.. | Output tokens received.
            status | text STATUS | Outcome of the request.
            [e2e_time_ns] | int? ns 0.. | From arrival to completion.
            [e2e_time_normalized_ns] | real? ns/token 0.. | e2e_time_ns per output token.
            [tpot_ns] | real? ns/token 0.. | Mean time per output token after the first: (last - first) / (tokens -
                    1).
            [scheduling_delay_ns] | int? ns 0.. | From arrival to the first batch with the request.
            [execution_time_ns] | int? ns 0.. | Time in batches, CPU overheads included.
            [execution_time_normalized_ns] | real? ns/token 0.. | execution_time_ns per output token.
            [model_execution_time_ns] | int? ns 0.. | Time in batches without CPU overheads.
            [model_execution_time_normalized_ns] | real? ns/token 0.. | model_execution_time_ns per output token.
            [preemption_time_ns] | int? ns 0.. | Time between batches once scheduled: preempted, waiting, or in
                    bubbles.
            [execution_plus_preemption_time_ns] | int? ns 0.. | execution_time_ns + preemption_time_ns.
            [execution_plus_preemption_time_normalized_ns] | real? ns/token 0.. | execution_plus_preemption_time_ns
                    per output token.
            [prefill_time_execution_plus_preemption_ns] | int? ns 0.. | From the first batch with the request to
                    its first token.
            [prefill_time_execution_plus_preemption_normalized_ns] | real? ns/token 0.. | prefill_time_execution_plus_preemption_ns
                    per prompt token.
            [decode_time_execution_plus_preemption_normalized_ns] | real? ns/token 0.. | (completion - first token)
                    per requested output token, including the first.
            [inter_arrival_delay_ns] | int? ns 0.. | Time since the previous arrival; empty for the first, and in a closed loop of sessions.
            [num_tokens] | int tokens 0.. | num_prefill_tokens + num_decode_tokens.
            [pd_ratio] | real? 0.. | num_prefill_tokens / num_decode_tokens.
            [num_restarts] | int? 0.. | Number of times its KV cache was dropped and recomputed.
            [replica_id] | int? 0.. | Replica that served it.
            [adapter] | int? 0.. | LoRA adapter, as in trace_labels.csv; 0 for the base model.
            [priority] | int? 0.. | Its priority, as in trace_labels.csv.
            [error] | text? | Message of a failed request.
            """
                    .replace("STATUS", String.join("/", RequestStatus.texts())),
            new RowInvariant.Increasing("request_id"),
            new RowInvariant.NotBefore("first_token_time_ns", "arrival_time_ns"),
            new RowInvariant.NotBefore("completion_time_ns", "first_token_time_ns"));

    public static final TableSchema TOKEN_METRICS = TableSchema.of(
            """
            token_metrics.csv 1 | Times of output tokens, one row per token (or streamed chunk), rows of one request
                    are adjacent.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            token_index | int 0.. | Position of the token (or chunk) in its request, from 0.
            token_time_ns | int ns 0.. | Time of the token.
            token_latency_ns | int ns 0.. | Time since the previous token; for the first, since arrival.
            [tokens_in_chunk] | int? tokens 0.. | Tokens in the chunk, for tools that stream chunks; empty if not
                    reported.
            """,
            new RowInvariant.CountsWithin("request_id", "token_index"));

    public static final TableSchema BATCH_METRICS = TableSchema.of(
            """
            batch_metrics.csv 1 | Batches of a simulated run, one row per batch in order of their end.
            batch_id | int 0.. | Number of the batch in order of formation.
            replica_id | int 0.. | Replica that ran it.
            scheduled_at_ns | int ns 0.. | Time at which the batch was formed.
            completed_at_ns | int ns 0.. | Time at which its last stage ended.
            execution_time_ns | int ns 0.. | From the start of its first stage to the end of its last, without the wait
                    of an asynchronously scheduled step for the previous batch; with compat=vidur,
                    completed_at_ns - scheduled_at_ns.
            batch_size | int requests 1.. | Requests in it.
            num_tokens | int tokens 1.. | Tokens processed.
            num_prefill_tokens | int tokens 0.. | Prompt tokens, including the last token of each prompt, and tokens
                    recomputed after a preemption.
            num_decode_tokens | int tokens 0.. | Remaining tokens: one per decode, and its drafts.
            """,
            new RowInvariant.NotBefore("completed_at_ns", "scheduled_at_ns"));

    private Tables() {}
}
