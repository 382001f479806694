package dev.stagesim.contract;

import java.util.List;

/** The tables that stages exchange; times are integer nanoseconds relative to the start of the run. */
public final class Tables {
    /** What {@link #TOKEN_PERCENTILES} counts. */
    public static final List<String> TOKEN_TIMES = List.of("first_token", "between_tokens");

    public static final TableSchema TRACE_LENGTHS = TableSchema.of(
            """
            trace_lengths.csv 1 | Prompt and output lengths of a workload, one row per request.
            request_id | int 0.. | Number of the request, from 0 in order of arrival.
            prompt_id | text | Prompt the request uses; several requests may share one.
            num_prefill_tokens | int tokens 1.. | Prompt tokens.
            num_decode_tokens | int tokens 1.. | Output tokens asked for.
            """,
            new RowInvariant.Increasing("request_id"));

    public static final TableSchema TRACE_TOKENS = TableSchema.of(
            """
            trace_tokens.csv 1 | Tokens that requests of a workload have in common, as runs of consecutive token
                    numbers: the beginning of each prompt, in order. The rest of prompt i is (2i+1) x 2^32 and on,
                    its output (2i+2) x 2^32 and on; requests without rows share nothing.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            first_token | int 0.. | Number of the first token of the run.
            num_tokens | int tokens 1.. | Tokens of the run.
            """);

    public static final TableSchema TRACE_LABELS = TableSchema.of(
            """
            trace_labels.csv 1 | What requests of a workload carry besides their tokens, one row per request.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            adapter | int 0.. | LoRA adapter that it asks for, from 1; 0 for the base model.
            priority | int 0.. | Its priority; a smaller one is more urgent.
            """,
            new RowInvariant.Increasing("request_id"));

    public static final TableSchema TRACE_RANKS = TableSchema.of(
            """
            trace_ranks.csv 1 | Which execution trace each processor runs, where processors share files: one row per
                    range of ranks, from 0 on without a gap.
            first_rank | int 0.. | First processor of the range.
            last_rank | int 0.. | Its last one.
            file | text | Name of their trace, which is in the directory of this table.
            """,
            new RowInvariant.Increasing("first_rank"),
            new RowInvariant.NotBefore("last_rank", "first_rank"));

    public static final TableSchema TRACE_INTERVALS = TableSchema.of(
            """
            trace_intervals.csv 1 | Arrival times of a workload, one row per request in order of arrival.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            inter_arrival_ns | int ns 0.. | Time since the request before; for the first, since time 0.
            arrival_time_ns | int ns 0.. | Arrival time.
            """,
            new RowInvariant.Increasing("request_id"),
            new RowInvariant.RunningSum("arrival_time_ns", "inter_arrival_ns"));

    public static final TableSchema REQUEST_METRICS = TableSchema.of(
            """
            request_metrics.csv 1 | Times of every request of a run, one row per request in order of request_id.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            arrival_time_ns | int ns 0.. | When the request was made.
            first_token_time_ns | int? ns 0.. | When its first output token came; empty when none came.
            ttft_ns | int? ns 0.. | Time to first token: first_token_time_ns - arrival_time_ns.
            completion_time_ns | int? ns 0.. | When its last output token came; empty unless completed.
            num_prefill_tokens | int tokens 0.. | Prompt tokens.
            num_decode_tokens | int tokens 0.. | Output tokens asked for.
            num_decode_tokens_actual | int tokens 0.. | Output tokens that came.
            status | text STATUS | Outcome of the request.
            [e2e_time_ns] | int? ns 0.. | From arrival to completion.
            [e2e_time_normalized_ns] | real? ns/token 0.. | e2e_time_ns per output token.
            [tpot_ns] | real? ns/token 0.. | Mean time per output token after the first: (last - first) / (tokens -
                    1).
            [scheduling_delay_ns] | int? ns 0.. | From arrival to the first batch that held the request.
            [execution_time_ns] | int? ns 0.. | Time in batches, CPU overheads included.
            [execution_time_normalized_ns] | real? ns/token 0.. | execution_time_ns per output token.
            [model_execution_time_ns] | int? ns 0.. | Time in batches without CPU overheads.
            [model_execution_time_normalized_ns] | real? ns/token 0.. | model_execution_time_ns per output token.
            [preemption_time_ns] | int? ns 0.. | Time between batches once scheduled: preempted, waiting, or in
                    bubbles.
            [execution_plus_preemption_time_ns] | int? ns 0.. | execution_time_ns + preemption_time_ns.
            [execution_plus_preemption_time_normalized_ns] | real? ns/token 0.. | execution_plus_preemption_time_ns
                    per output token.
            [prefill_time_execution_plus_preemption_ns] | int? ns 0.. | From the first batch that held the request
                    to its first token.
            [prefill_time_execution_plus_preemption_normalized_ns] | real? ns/token 0.. | prefill_time_execution_plus_preemption_ns
                    per prompt token.
            [decode_time_execution_plus_preemption_normalized_ns] | real? ns/token 0.. | (completion - first token)
                    per output token asked for, the first counted as well.
            [inter_arrival_delay_ns] | int? ns 0.. | Time since the arrival before; empty for the first.
            [num_tokens] | int tokens 0.. | num_prefill_tokens + num_decode_tokens.
            [pd_ratio] | real? 0.. | num_prefill_tokens / num_decode_tokens.
            [num_restarts] | int? 0.. | How often its KV cache was dropped and computed again.
            [replica_id] | int? 0.. | Replica that served it.
            [adapter] | int? 0.. | LoRA adapter that it asked for, as in trace_labels.csv; 0 for the base model.
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
                    adjacent.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            token_index | int 0.. | Position of the token (or chunk) in its request, from 0.
            token_time_ns | int ns 0.. | When it came.
            token_latency_ns | int ns 0.. | Time since the token before; for the first, since arrival.
            [tokens_in_chunk] | int? tokens 0.. | Tokens that came together; where a tool streams chunks; empty when
                    it does not say.
            """,
            new RowInvariant.CountsWithin("request_id", "token_index"));

    public static final TableSchema BATCH_METRICS = TableSchema.of(
            """
            batch_metrics.csv 1 | Batches of a simulated run, one row per batch in order of their end.
            batch_id | int 0.. | Number of the batch in order of formation.
            replica_id | int 0.. | Replica that ran it.
            scheduled_at_ns | int ns 0.. | When the batch was formed.
            completed_at_ns | int ns 0.. | When its last stage ended.
            execution_time_ns | int ns 0.. | From the start of its first stage to the end of its last, without the wait for the
                    batch before it, which a step that is planned ahead spends after scheduled_at_ns; with compat=vidur
                    completed_at_ns - scheduled_at_ns.
            batch_size | int requests 1.. | Requests in it.
            num_tokens | int tokens 1.. | Tokens processed.
            num_prefill_tokens | int tokens 0.. | Tokens of prompts, the last token of each included, and tokens computed again after a
                    preemption.
            num_decode_tokens | int tokens 0.. | The other tokens: one for each decode, and its drafts.
            """,
            new RowInvariant.NotBefore("completed_at_ns", "scheduled_at_ns"));

    public static final TableSchema SWEEP_JOBS = TableSchema.of(
            """
            jobs.csv 1 | Jobs of a sweep, one row per job in order of job number.
            job | int 0.. | Number of the job, from 0.
            status | text STATUS | How far the job is.
            run_id | text? | Its run; empty unless done.
            overrides | text? | Its overrides, joined by spaces.
            error | text? | Why it failed, one line.
            """
                    .replace("STATUS", String.join("/", JobStatus.texts())),
            new RowInvariant.Increasing("job"));

    public static final TableSchema TOKEN_PERCENTILES = TableSchema.of(
            """
            token_percentiles.csv 1 | Percentiles over the token rows of a sweep's runs: of all jobs, of those that
                    share a value of a swept key, and of each job. A percentile is the time of the nearest rank,
                    within 1/2048 of itself (0.049 %); rows, least, mean and greatest are exact.
            scope | text all/value/job | Whose rows.
            key | text? | The swept key, where the scope is a value.
            value | text? | Its value.
            job | int? 0.. | The job, where the scope is one.
            times | text TIMES | Time from arrival to the first token, or from a token (or
                    chunk) to the next.
            jobs | int 1.. | Jobs that have such rows.
            rows | int 1.. | Rows.
            min_ns | int ns 0.. | Least.
            mean_ns | int ns 0.. | Mean, to the nearest ns.
            p50_ns | int ns 0.. | Median.
            p90_ns | int ns 0.. | 90 % of the rows take at most this.
            p95_ns | int ns 0.. | 95 %.
            p99_ns | int ns 0.. | 99 %.
            p999_ns | int ns 0.. | 99.9 %.
            max_ns | int ns 0.. | Greatest.
            """
                    .replace("TIMES", String.join("/", TOKEN_TIMES)),
            new RowInvariant.NotBefore("p50_ns", "min_ns"),
            new RowInvariant.NotBefore("p99_ns", "p50_ns"),
            new RowInvariant.NotBefore("max_ns", "p999_ns"));

    private Tables() {}
}
