package dev.stagesim.feature.cluster.report;

import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import java.util.List;

/** Table schemas of the stage {@code cluster_sim}. */
public final class ClusterTables {
    public static final TableSchema REQUESTS = TableSchema.of(
            """
            cluster_requests.csv 3 | Requests: instances, outcome and latency breakdown. The parts from gateway_ns to evicted_ns
                    add up to ttft_ns, all of them to e2e_ns. Times of requests that were not completed are 0 or empty.
            request_id | int 0.. | Number of the request in the workload.
            arrival_ns | int ns 0.. | Arrival, or the time at which its session was aborted.
            prompt_tokens | int tokens 1.. | Prompt tokens.
            output_tokens | int tokens 1.. | Output tokens.
            status | text completed/refused/shed/timed_out/cancelled/lost/abandoned | Outcome.
            tenant | text | Tenant; all without tenants.
            attempts | int 0.. | Number of attempts.
            prefill_instance | int 0.. | Instance of the prefill, as in cluster_instances.csv.
            decode_instance | int 0.. | Instance of the decode; equal to prefill_instance if the request was not split.
            cached_tokens | int tokens 0.. | Prompt tokens found in the cache of the prefill instance.
            tier_tokens | int tokens 0.. | Part of cached_tokens that was read from lower cache tiers.
            decode_cached_tokens | int tokens 0.. | Tokens found in the cache of the decode instance, and not transferred.
            transferred_tokens | int tokens 0.. | Tokens whose KV cache was transferred.
            preemptions | int 0.. | Number of preemptions.
            gateway_ns | int ns 0.. | Gateway queue, and waiting for an open instance.
            lost_ns | int ns 0.. | Failed attempts.
            routing_ns | int ns 0.. | API server of the prefill engine.
            queue_ns | int ns 0.. | Queue of the prefill engine, without reads from lower tiers.
            tier_read_ns | int ns 0.. | Reads from lower cache tiers.
            prefill_ns | int ns 0.. | From the first batch to the first token.
            evicted_ns | int ns 0.. | Preempted before the first token.
            decode_routing_ns | int ns 0.. | API server of the decode instance.
            transfer_wait_ns | int ns 0.. | Waiting for KV cache in the decode instance.
            transfer_ns | int ns 0.. | KV transfer.
            decode_queue_ns | int ns 0.. | Queue of the decode engine.
            decode_ns | int ns 0.. | Decode, as if its steps contained no prefills.
            interference_ns | int ns 0.. | Delay of decode by prefills and preemptions.
            ttft_ns | int? ns 0.. | Time to first token.
            tpot_ns | real? ns 0.. | Time per output token after the first; empty for one output token.
            e2e_ns | int? ns 0.. | Time to the last token.
            """);

    public static final TableSchema INSTANCES = TableSchema.of(
            """
            cluster_instances.csv 4 | Instances, by number.
            instance | int 0.. | Number of the instance.
            pool | text | Pool of the instance.
            role | text both/prefill/decode | Phases that it serves.
            billed_s | real s 0.. | Time from each order to the removal, summed.
            up_s | real s 0.. | Time in which it was open or draining.
            devices | int 1.. | Number of devices.
            requests | int 0.. | Requests sent to it.
            computed_tokens | int tokens 0.. | Tokens of its batches.
            busy_share | real 0.. | Share of the time in which it ran a batch.
            queried_tokens | int tokens 0.. | Prompt tokens looked up in its cache.
            hit_tokens | int tokens 0.. | Prompt tokens found in its cache.
            preemptions | int 0.. | Number of preemptions.
            kv_tokens | int tokens 0.. | KV cache capacity.
            kv_peak_share | real 0.. | Peak share of the KV cache in use.
            memory_wait_share | real 0.. | Share of the time in which requests waited for KV cache; 0 in decode pools, which have transfer_wait_ns.
            adapter_loads | int 0.. | LoRA adapters loaded into its slots.
            """);

    static final TableSchema POOLS = TableSchema.of(
            """
            cluster_pools.csv 1 | Pools over time, in bins of equal width. The pool named links has the KV transfers.
            start_ns | int ns 0.. | Start of the bin.
            pool | text | Pool.
            busy_share | real? 0.. | Mean share of the instances that ran a batch.
            waiting | real? 0.. | Mean number of requests in engine queues.
            running | real? 0.. | Mean number of requests in batches.
            kv_share | real? 0.. | Mean share of the KV cache in use.
            transfers | real? 0.. | Mean number of concurrent transfers; for the pool links only.
            """);

    static final TableSchema SUMMARY = TableSchema.of(
            """
            cluster_summary.csv 2 | Metrics of the run, by name.
            metric | text | Name of the metric, ending with its unit.
            value | real? | Value; empty if undefined.
            """);

    public static final TableSchema BASELINE = TableSchema.of(
            """
            cluster_baseline.csv 2 | Latency percentiles compared with a baseline, as parts that add up; only with the key
                    baseline.
            metric | text | Percentile: ttft_p50 to e2e_p99.
            part | text | Part of the latency, as in cluster_requests.csv; prefill is the time without cache hits,
                    prefix_hits the time that they save, residual the difference between the percentile and its neighbours.
            baseline_ns | int ns | Value in the baseline.
            this_ns | int ns | Value in this run.
            difference_ns | int ns | this_ns - baseline_ns.
            """);

    public static final TableSchema REGRET = TableSchema.of(
            """
            cluster_regret.csv 2 | Replays of routing decisions with another instance and all other decisions unchanged; only with
                    the key regret. Changes are replay - run, up to the horizon.
            decision | int 0.. | Number of the decision, in order of the run.
            time_ns | int ns 0.. | Time of the decision.
            request_id | int 0.. | Request, as in cluster_requests.csv.
            part | text prompt/output | Phase that the instance was chosen for.
            instances | int 2.. | Number of open instances.
            chosen | int 0.. | Chosen instance, as in cluster_instances.csv.
            alternative | int 0.. | Instance of the replay.
            ttft_change_ns | int? ns | Change of the TTFT of the request; empty if it has no first token within the horizon.
            own_change_ns | int ns | Change of the time of the request in the system.
            others_change_ns | int ns | Change of the time of all other requests in the system.
            regret_ns | int ns 0.. | Total request time that the alternative saves, at least 0.
            """);

    static final TableSchema REPLICAS = TableSchema.of(
            """
            cluster_replicas.csv 2 | State changes of instances, with the number of instances of the pool by state after each; only
                    if pools have autoscaling or instances fail.
            time_ns | int ns 0.. | Time of the change.
            pool | text | Pool.
            instance | int 0.. | Instance, as in cluster_instances.csv.
            change | text | ordered, cancelled (before it was open), open, draining, removed or failed.
            starting | int 0.. | Instances that are ordered and not open yet.
            open | int 0.. | Instances that accept requests.
            draining | int 0.. | Instances that complete their last requests.
            """);

    static final TableSchema EXPERTS = TableSchema.of(
            """
            cluster_experts.csv 1 | Expert loads and placements over time; only if pools have a section experts.
            time_ns | int ns 0.. | Start time.
            pool | text | Pool.
            change | text start/load/placement | Start of the run, of a load or of a placement.
            balance | real 0..1 | Mean device load divided by the maximum, averaged over layers.
            moved | int 0.. | Experts that were moved, over all layers.
            moved_bytes | real bytes 0.. | Weight bytes that were moved.
            move_ns | int ns 0.. | Duration of the move.
            """);

    private ClusterTables() {}

    public static List<TableSchema> all() {
        return List.of(
                REQUESTS, Tables.REQUEST_METRICS, INSTANCES, POOLS, SUMMARY, BASELINE, REGRET, REPLICAS, EXPERTS);
    }
}
