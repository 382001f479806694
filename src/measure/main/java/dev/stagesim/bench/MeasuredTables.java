package dev.stagesim.bench;

import dev.stagesim.contract.RowInvariant;
import dev.stagesim.contract.TableSchema;

/** Tables of measurements by training tools, and of the client and the server of a live measurement. */
public final class MeasuredTables {
    public static final TableSchema OPERATOR_METRICS = TableSchema.of(
            """
            operator_metrics.csv 1 | Time in each operator of a profile, one row per device, category and name, the
                    longest first.
            device | text | cpu or gpu.
            category | text? | Kind of event as the profiler names it.
            operator | text | Name of the operator or kernel.
            count | int 0.. | Calls.
            total_ns | int ns 0.. | Sum over the calls.
            min_ns | int ns 0.. | Shortest call.
            max_ns | int ns 0.. | Longest call.
            """);

    public static final TableSchema COLLECTIVE_METRICS = TableSchema.of(
            """
            collective_metrics.csv 1 | Times of collectives, one row per message size and buffer use, in the order
                    of the measurement.
            collective | text | Name, for example all_reduce.
            ranks | int 1.. | Number of devices.
            size_bytes | int bytes 0.. | Message size; the whole buffer for all-gather and reduce-scatter.
            in_place | bool | Whether input and output share a buffer.
            time_ns | real ns 0.. | Time of one call.
            algorithm_gbs | real GB/s 0.. | size_bytes / time_ns.
            bus_gbs | real GB/s 0.. | algorithm_gbs times a factor that removes the effect of the number of ranks.
            wrong | int? 0.. | Wrong results; empty if not checked.
            """);

    public static final TableSchema ENGINE_STEPS = TableSchema.of(
            """
            engine_steps.csv 2 | Steps that a serving engine logged, one row per step in the order of the log.
            engine | text | Name of the engine process, such as the data-parallel rank.
            iteration | int 0.. | Number of the step in its engine.
            prefill_requests | int 0.. | Requests in prefill.
            prefill_tokens | int tokens 0.. | Prompt tokens computed.
            decode_requests | int 0.. | Requests in decode.
            decode_tokens | int tokens 0.. | Decode tokens; more than requests with speculative decoding.
            cached_tokens | int? tokens 0.. | Tokens in the KV cache blocks of the requests; empty if the log does not say.
            time_ns | real ns 0.. | Time of the step.
            """);

    public static final TableSchema CLIENT_METRICS = TableSchema.of(
            """
            client_metrics.csv 3 | Client-side record of each request of a live measurement, one row per request in
                    order of request_id.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            sent_request_id | text? | Request id that the client sent in the header X-Request-Id.
            intended_ns | int ns 0.. | Scheduled send time.
            sent_ns | int? ns 0.. | Actual send time; empty if the request was not sent.
            end_ns | int ns 0.. | End of the response stream, for any reason.
            chunks | int 0.. | Received chunks with output.
            prompt_tokens | int? tokens 0.. | Tokens reported by the server; empty if not reported.
            output_tokens | int? tokens 0.. | Tokens reported by the server; empty if not reported.
            cancelled | bool | True if the client cancelled the request as planned.
            error | text? | Reason of a failure; otherwise empty.
            """,
            new RowInvariant.Increasing("request_id"));

    public static final TableSchema SERVED_METRICS = TableSchema.of(
            """
            served_metrics.csv 2 | Server-side record of each request in addition to its simulated times, one row per
                    request in order of arrival.
            request_id | int 0.. | Number of the request, as in trace_lengths.csv.
            client_request_id | text? | Value of the header X-Request-Id; empty without the header.
            first_token_lateness_ns | int? ns 0.. | Time from the simulated first token until it was sent; empty without tokens.
            max_lateness_ns | int? ns 0.. | Maximum lateness over all tokens; empty without tokens.
            """,
            new RowInvariant.Increasing("request_id"));

    private MeasuredTables() {}
}
