package dev.stagesim.feature.plan;

import dev.stagesim.contract.TableSchema;
import java.util.List;

/** The tables of a plan. */
final class PlanTables {
    static final TableSchema CANDIDATES = TableSchema.of(
            """
            plan_candidates.csv 5 | Deployments, best first: every simulated deployment, and the best batch limits of each other
                    shape.
            status | text | winner, feasible, more_expensive, worse (for the goal), not_simulated, slo_missed, overload, out_of_memory or unsupported.
            reason | text | Reason for the status.
            engine | text | Serving engine.
            tp | int 1.. | Tensor parallelism.
            pp | int 1.. | Pipeline parallelism.
            dp | int 1.. | Engines of a copy that share the experts.
            expert_parallel | bool | True if each expert is on one device.
            prefill_interval | int 1.. | Steps from one step that may start prompts to the next.
            draft_tokens | int 0.. | Draft tokens per request and step; 0 without speculative decoding.
            weights | text | Precision of the weights.
            kv_cache | text | Precision of the KV cache.
            max_num_seqs | int? 1.. | Maximum requests per step; empty if the shape cannot run.
            max_num_batched_tokens | int? 1.. | Maximum tokens per step.
            replicas | int? 1.. | Copies of the model: simulated, otherwise predicted.
            devices | int? 1.. | Devices of all copies.
            load | real requests/s 0.. | Load of the simulation; with goal=throughput the highest one; with a closed loop the requests in flight.
            usd_per_month | real? USD 0.. | Price of the devices for 730 hours; empty without a price.
            usd_per_mtok | real? USD 0.. | Price per million output tokens at the load.
            kv_tokens | int? tokens 0.. | Capacity of the KV cache of a copy.
            running | real? 0.. | Mean number of decoding requests per copy, by the closed form.
            expected_ttft_p99_ms | real? ms 0.. | P99 TTFT by the closed form.
            expected_tpot_p99_ms | real? ms 0.. | P99 TPOT by the closed form.
            ttft_p50_ms | real? ms 0.. | Median TTFT; this and the following metrics are simulated.
            ttft_p99_ms | real? ms 0.. | P99 TTFT.
            tpot_p50_ms | real? ms 0.. | Median TPOT.
            tpot_p99_ms | real? ms 0.. | P99 TPOT.
            e2e_p99_ms | real? ms 0.. | P99 E2E latency.
            tokens_s_user | real? tokens/s 0.. | Median output tokens per second of a request.
            tokens_s_device | real? tokens/s 0.. | Output tokens per second of a device at the load.
            seeds_satisfied | int? 0.. | Number of seeds that meet the SLO; the metrics are those of the worst seed.
            seeds_simulated | int? 1.. | Number of simulated seeds; simulation stops at the first that fails.
            slo_headroom | real? ..1 | Smallest distance of a metric to its limit, as a share of the limit; negative if violated.
            max_load | real? requests/s 0.. | Maximum load that meets the SLO; empty if it was not searched.
            load_headroom | real? 0.. | max_load / load - 1.
            pareto | bool | True if no other feasible deployment is at least as good in price, P99 TTFT and P99 TPOT, and better in one.
            """);

    static final TableSchema LOADS = TableSchema.of(
            """
            loads.csv 2 | Simulations of the answer at other loads, in ascending order.
            load | real requests/s 0.. | Load.
            meets_slo | bool | True if the SLO is met with every seed.
            ttft_p99_ms | real? ms 0.. | P99 TTFT; empty if not all requests were served.
            tpot_p99_ms | real? ms 0.. | P99 TPOT.
            e2e_p99_ms | real? ms 0.. | P99 E2E latency.
            """);

    static final TableSchema POOLS = TableSchema.of(
            """
            plan_pools.csv 3 | Pools and routers, feasible ones first, then by price; only with search.pools or search.routers.
            meets_slo | bool | True if the SLO is met with every seed; otherwise the row is the last configuration tried.
            engine | text | Serving engine of all instances.
            router | text round_robin/least_outstanding/prefix/kv_cost | Router of the first pool.
            prompt_copies | int 1.. | Prefill instances, or instances that serve whole requests.
            prompt_tp | int 1.. | Tensor parallelism of these instances.
            output_copies | int? 1.. | Decode instances.
            output_tp | int? 1.. | Tensor parallelism of the decode instances.
            output_hardware | text? | Devices of the decode instances.
            weights | text | Precision of the weights of the first pool.
            kv_cache | text | Precision of the KV cache.
            devices | int 1.. | Devices of all instances.
            usd_per_month | real? USD 0.. | Price of the devices for 730 hours; empty without a price.
            ttft_p50_ms | real? ms 0.. | Median TTFT, simulated; empty if requests pile up.
            ttft_p99_ms | real? ms 0.. | P99 TTFT.
            tpot_p50_ms | real? ms 0.. | Median TPOT.
            tpot_p99_ms | real? ms 0.. | P99 TPOT.
            e2e_p99_ms | real? ms 0.. | P99 E2E latency.
            pareto | bool | Pareto optimality, as in plan_candidates.csv.
            """);

    static final TableSchema ANSWER = TableSchema.of(
            """
            plan_answer.csv 1 | The recommended deployment: copies, or a prefill and a decode pool; no row if none is feasible.
            role | text whole/prefill/decode | Phases of requests that the instances serve.
            engine | text | Serving engine.
            copies | int 1.. | Instances.
            tp | int 1.. | Tensor parallelism.
            pp | int 1.. | Pipeline parallelism.
            dp | int 1.. | Engines of an instance that share the experts.
            expert_parallel | bool | True if each expert is on one device.
            prefill_interval | int 1.. | Steps from one step that may start prompts to the next.
            draft_method | text | Method that proposes drafts; without effect without drafts.
            draft_tokens | int 0.. | Draft tokens per request and step; 0 without speculative decoding.
            weights | text | Precision of the weights.
            experts | text | Precision of the routed experts.
            kv_cache | text | Precision of the KV cache.
            max_num_seqs | int 1.. | Maximum requests per step.
            max_num_batched_tokens | int 1.. | Maximum tokens per step.
            """);

    private PlanTables() {}

    static List<TableSchema> all() {
        return List.of(CANDIDATES, LOADS, POOLS, ANSWER);
    }
}
