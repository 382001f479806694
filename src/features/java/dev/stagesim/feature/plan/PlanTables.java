package dev.stagesim.feature.plan;

import dev.stagesim.contract.TableSchema;
import java.util.List;

/** The tables of a plan. */
final class PlanTables {
    static final TableSchema CANDIDATES = TableSchema.of(
            """
            plan_candidates.csv 4 | Deployments, those that hold first, cheapest first: a row for each that was simulated, and the
                    most promising limits of every other shape.
            status | text | winner, feasible, more_expensive, not_simulated, slo_missed, overload, out_of_memory or unsupported.
            reason | text | Reason for the status.
            engine | text | Serving engine.
            tp | int 1.. | Tensor parallelism.
            pp | int 1.. | Pipeline parallelism.
            weights | text | How weights are stored.
            kv_cache | text | How the KV cache is stored.
            max_num_seqs | int? 1.. | Maximum requests of a step; empty where the shape cannot run.
            max_num_batched_tokens | int? 1.. | Maximum tokens of a step.
            replicas | int? 1.. | Copies of the model: simulated, else those that should do.
            devices | int? 1.. | Devices of all copies.
            usd_per_month | real? USD 0.. | Price of the devices for 730 hours; empty without a price.
            usd_per_mtok | real? USD 0.. | Price of a million output tokens at the load.
            kv_tokens | int? tokens 0.. | Tokens that the cache of a copy holds.
            running | real? 0.. | Requests that a copy decodes at a time, by the closed form.
            expected_ttft_p99_ms | real? ms 0.. | P99 of the time to the first token, by the closed form.
            expected_tpot_p99_ms | real? ms 0.. | P99 of the time of an output token, by the closed form.
            ttft_p50_ms | real? ms 0.. | Median time to the first token; this and the following are simulated.
            ttft_p99_ms | real? ms 0.. | P99 of it.
            tpot_p50_ms | real? ms 0.. | Median time of an output token.
            tpot_p99_ms | real? ms 0.. | P99 of it.
            e2e_p99_ms | real? ms 0.. | P99 of the time to the last token.
            seeds_satisfied | int? 0.. | Seeds with which the service level is satisfied; the metrics are of the worst seed.
            seeds_simulated | int? 1.. | Seeds that were simulated; the search stops at the first that fails.
            slo_headroom | real? ..1 | Smallest distance of a metric to its limit, as a share of the limit; negative if violated.
            max_load | real? requests/s 0.. | Maximum load within the service level; empty if it was not searched.
            load_headroom | real? 0.. | max_load / load - 1.
            pareto | bool | Whether nothing else that holds is as good in price, P99 TTFT and P99 TPOT, and better in one.
            """);

    static final TableSchema LOADS = TableSchema.of(
            """
            loads.csv 2 | The winner at other loads, simulated, by rising load.
            load | real requests/s 0.. | Load.
            meets_slo | bool | True if the SLO is met with every seed.
            ttft_p99_ms | real? ms 0.. | P99 of the time to the first token; empty where not all requests were served.
            tpot_p99_ms | real? ms 0.. | P99 of the time of an output token.
            e2e_p99_ms | real? ms 0.. | P99 of the time to the last token.
            """);

    static final TableSchema POOLS = TableSchema.of(
            """
            plan_pools.csv 2 | Pools and routers, those that hold first, cheapest first; only with search.pools or search.routers.
            meets_slo | bool | True if the SLO is met with every seed; otherwise the row is the last configuration tried.
            router | text round_robin/least_outstanding/prefix/kv_cost | Router of prompts.
            prompt_copies | int 1.. | Instances for prompts, or for whole requests where outputs have no pool.
            prompt_tp | int 1.. | Their tensor parallelism.
            output_copies | int? 1.. | Instances for outputs.
            output_tp | int? 1.. | Their tensor parallelism.
            output_hardware | text? | Their devices.
            weights | text | How weights are stored for prompts.
            kv_cache | text | How the KV cache is stored.
            devices | int 1.. | Devices of all instances.
            usd_per_month | real? USD 0.. | Price of the devices for 730 hours; empty without a price.
            ttft_p50_ms | real? ms 0.. | Median time to the first token, simulated; empty where requests pile up.
            ttft_p99_ms | real? ms 0.. | P99 of it.
            tpot_p50_ms | real? ms 0.. | Median time of an output token.
            tpot_p99_ms | real? ms 0.. | P99 of it.
            e2e_p99_ms | real? ms 0.. | P99 of the time to the last token.
            pareto | bool | As in plan_candidates.csv.
            """);

    private PlanTables() {}

    static List<TableSchema> all() {
        return List.of(CANDIDATES, LOADS, POOLS);
    }
}
