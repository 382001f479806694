package dev.stagesim.feature.cluster.report;

import dev.stagesim.contract.TableSchema;
import dev.stagesim.contract.Tables;
import java.util.List;

/** The tables of a simulated cluster. */
public final class ClusterTables {
    public static final TableSchema REQUESTS = TableSchema.of(
            """
            cluster_requests.csv 2 | Requests: where each was served, and its time in parts. The parts from gateway_ns to evicted_ns
                    add up to ttft_ns, all of them to e2e_ns. Times are 0, or empty, where the request was not completed.
            request_id | int 0.. | Number of the request in the workload.
            arrival_ns | int ns 0.. | When it came, or when its conversation was given up.
            prompt_tokens | int tokens 1.. | Prompt.
            output_tokens | int tokens 1.. | Output.
            status | text completed/refused/shed/timed_out/cancelled/lost/abandoned | How it ended.
            tenant | text | Whose it is; all without tenants.
            attempts | int 0.. | Times that it was sent.
            prefill_instance | int 0.. | Instance of its prompt, as in cluster_instances.csv.
            decode_instance | int 0.. | Instance of its output; the same where it was not split.
            cached_tokens | int tokens 0.. | Tokens of the prompt that the cache of that instance had.
            tier_tokens | int tokens 0.. | Those of them that were read from tiers.
            decode_cached_tokens | int tokens 0.. | Tokens that the decode instance had and that were not moved.
            moved_tokens | int tokens 0.. | Tokens whose keys and values were moved.
            preemptions | int 0.. | How often it lost its memory.
            gateway_ns | int ns 0.. | Outside: in the queue of the gateway, or while no instance was open.
            lost_ns | int ns 0.. | With instances that failed, from each time it was sent.
            routing_ns | int ns 0.. | In the API server of its first engine.
            queue_ns | int ns 0.. | In the queue of that engine, reads apart.
            tier_read_ns | int ns 0.. | Reading from tiers of KV cache before that.
            prefill_ns | int ns 0.. | In batches until the first token.
            evicted_ns | int ns 0.. | Without memory before the first token.
            second_routing_ns | int ns 0.. | In the API server of the decode instance.
            transfer_wait_ns | int ns 0.. | Until the decode instance had room for it.
            transfer_ns | int ns 0.. | On the links.
            decode_queue_ns | int ns 0.. | From there until it was in a batch.
            decode_ns | int ns 0.. | In batches after the first token, as if no step there had prompts.
            interference_ns | int ns 0.. | What prompts in those steps added, and time without memory.
            ttft_ns | int? ns 0.. | Time to the first token.
            tpot_ns | real? ns 0.. | Time of an output token after the first; empty where there is one.
            e2e_ns | int? ns 0.. | Time to the last token.
            """);

    public static final TableSchema INSTANCES = TableSchema.of(
            """
            cluster_instances.csv 3 | Instances, by number.
            instance | int 0.. | Number.
            pool | text | Its pool.
            role | text both/prefill/decode | What it does.
            paid_s | real s 0.. | From its order to its end, all of its lives together.
            up_s | real s 0.. | The part of it in which it served, or could have.
            devices | int 1.. | Its devices.
            requests | int 0.. | Requests that were sent to it.
            computed_tokens | int tokens 0.. | Tokens of its batches.
            busy_share | real 0.. | Share of the time with a batch on its devices.
            asked_tokens | int tokens 0.. | Tokens of prompts that its cache was asked for.
            hit_tokens | int tokens 0.. | Those of them that it had.
            preemptions | int 0.. | Requests that lost their memory.
            kv_tokens | int tokens 0.. | Tokens that its cache holds.
            kv_peak_share | real 0.. | Greatest share of it in use.
            no_memory_share | real 0.. | Share of the time in which requests waited for memory; 0 in decode pools, where transfer_wait_ns has it.
            adapter_loads | int 0.. | LoRA adapters that were loaded into its slots.
            """);

    static final TableSchema POOLS = TableSchema.of(
            """
            cluster_pools.csv 1 | Pools over time, in equal bins, and the links as the pool links.
            start_ns | int ns 0.. | Start of the bin.
            pool | text | The pool.
            busy_share | real? 0.. | Mean share of its instances with a batch.
            waiting | real? 0.. | Mean number of requests that wait in its engines.
            running | real? 0.. | Mean number of requests in its batches.
            kv_share | real? 0.. | Mean share of its cache in use.
            transfers | real? 0.. | Mean number of transfers in progress; of links alone.
            """);

    static final TableSchema SUMMARY = TableSchema.of(
            """
            cluster_summary.csv 1 | Figures of the whole, by name.
            figure | text | Name, with the unit last.
            value | real? | Value; empty where there is none.
            """);

    public static final TableSchema AGAINST = TableSchema.of(
            """
            cluster_against.csv 1 | Percentiles beside those of another run of the same requests, in parts that add up; only with
                    against.
            figure | text | Percentile: ttft_p50 to e2e_p99.
            part | text | Part of the time, as in cluster_requests.csv; prefill is as if nothing of prompts were cached,
                    prefix_hits what caches save of it, rest what the percentile differs from its neighbours.
            against_ns | int ns | In the run that against names.
            this_ns | int ns | In this run.
            difference_ns | int ns | This - against.
            """);

    public static final TableSchema REGRET = TableSchema.of(
            """
            cluster_regret.csv 1 | Decisions of routers replayed with another instance, all other decisions as they were; only with
                    regret. Changes are with that instance - in the run, up to the horizon.
            decision | int 0.. | Number of the decision in the order of the run.
            time_ns | int ns 0.. | When.
            request_id | int 0.. | The request, as in cluster_requests.csv.
            part | text prompt/output | What the instance was chosen for.
            instances | int 2.. | Instances that were open.
            chosen | int 0.. | The instance, as in cluster_instances.csv.
            instead | int 0.. | The one of the replay.
            ttft_change_ns | int? ns | Of the time to its first token; empty where there is none up to the horizon.
            own_change_ns | int ns | Of its time in the cluster.
            others_change_ns | int ns | Of the times of all other requests in the cluster.
            regret_ns | int ns 0.. | What all requests together would have spent less; 0 where it is not less.
            """);

    static final TableSchema REPLICAS = TableSchema.of(
            """
            cluster_replicas.csv 1 | Every change of an instance, and how many there are of its pool after it; only where pools scale
                    or instances fail.
            time_ns | int ns 0.. | When.
            pool | text | The pool.
            instance | int 0.. | The instance, as in cluster_instances.csv.
            change | text | ordered, open, draining, gone, failed, or called off: no longer wanted before it was open.
            starting | int 0.. | Instances that were ordered and are not open yet.
            open | int 0.. | Instances that take requests.
            draining | int 0.. | Instances that finish what they have.
            """);

    static final TableSchema EXPERTS = TableSchema.of(
            """
            cluster_experts.csv 1 | Loads and placements of experts, by pool; only where pools have a section experts.
            time_ns | int ns 0.. | From when on.
            pool | text | The pool.
            change | text start/load/placement | What began: the run, another load, another placement.
            balance | real 0..1 | Mean over layers of mean / greatest load of a device, from then on.
            moved | int 0.. | Experts that devices got for it, of all layers.
            moved_bytes | real bytes 0.. | Their weights.
            move_ns | int ns 0.. | Time of moving them.
            """);

    private ClusterTables() {}

    public static List<TableSchema> all() {
        return List.of(REQUESTS, Tables.REQUEST_METRICS, INSTANCES, POOLS, SUMMARY, AGAINST, REGRET, REPLICAS, EXPERTS);
    }
}
