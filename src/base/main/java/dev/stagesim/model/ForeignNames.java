package dev.stagesim.model;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Names of keys and values in other tools: vLLM, SGLang, TensorRT-LLM, Megatron-LM, and the load generators vllm bench,
 * GuideLLM and GenAI-Perf. They serve only for suggestions in errors and are never accepted.
 */
public final class ForeignNames {
    /** One name per line, followed by the product's names in order of preference. */
    private static final String TABLE =
            """
            gpu                         hardware
            gpu_type                    hardware
            gpu_name                    hardware
            accelerator                 hardware network
            device                      hardware network
            gpus                        cluster.devices devices tp workload.num_npus
            num_gpus                    cluster.devices devices tp workload.num_npus
            world_size                  cluster.devices devices tp workload.num_npus
            npus                        workload.num_npus cluster.devices devices
            num_npus                    workload.num_npus cluster.devices devices
            nranks                      workload.num_npus cluster.devices devices
            size                        workload.comm_size
            message_size                workload.comm_size
            bytes                       workload.comm_size
            comm_size                   workload.comm_size
            hardware                    network
            backend                     engine
            framework                   engine
            tensor_parallel_size        tp
            tensor_parallel             tp
            tp_size                     tp
            pipeline_parallel_size      pp
            pp_size                     pp
            data_parallel_size          dp
            dp_size                     dp
            expert_parallel_size        ep
            enable_expert_parallel      ep
            ep_size                     ep
            max_concurrency             concurrency
            conc                        concurrency
            num_concurrent              concurrency
            batch_size                  batch.global concurrency
            batch                       batch.global concurrency
            gbs                         batch.global
            global_batch_size           batch.global
            mbs                         search.micro_batch
            micro_batch_size            search.micro_batch
            num_prompts                 requests
            num_requests                requests
            request_count               requests
            max_requests                requests
            request_rate                rate
            qps                         rate
            rps                         rate
            seq_len                     sequence prompt_tokens
            seq_length                  sequence prompt_tokens
            sequence_length             sequence prompt_tokens
            isl                         prompt_tokens
            input_len                   prompt_tokens
            input_length                prompt_tokens
            input_tokens                prompt_tokens
            random_input                prompt_tokens
            random_input_len            prompt_tokens
            prompt_len                  prompt_tokens
            osl                         output_tokens
            output_len                  output_tokens
            output_length               output_tokens
            random_output               output_tokens
            random_output_len           output_tokens
            max_new_tokens              output_tokens
            shared_prefix_tokens        prefix_tokens
            shared_prefix               prefix_tokens
            system_prompt_tokens        prefix_tokens
            system_prompt               prefix_tokens
            system_prompt_len           prefix_tokens
            prefix_len                  prefix_tokens
            prefix_length               prefix_tokens
            random_prefix_len           prefix_tokens
            common_prefix_tokens        prefix_tokens
            prefix_caching              prefix_tokens
            prefix_hit_rate             prefix_tokens
            cache_hit_rate              prefix_tokens
            prefix_cache_hit_rate       prefix_tokens
            num_turns                   turns
            multi_turn                  turns
            sessions                    turns
            conversations               turns
            context                     max_model_len
            context_length              max_model_len
            max_seq_len                 max_model_len
            max_num_seqs                scheduler.max_num_seqs search.max_num_seqs
            max_batch_size              scheduler.max_num_seqs search.max_num_seqs
            max_running_requests        scheduler.max_num_seqs search.max_num_seqs
            max_num_tokens              scheduler.max_num_batched_tokens search.max_num_batched_tokens
            gpu_memory_utilization      scheduler.gpu_memory_utilization memory_utilization
            mem_fraction_static         scheduler.mem_fraction_static memory_utilization
            dtype                       precision weights model.weights
            quantization                precision weights model.weights
            weight_dtype                precision weights model.weights
            kv_cache_dtype              kv_cache model.kv_cache
            num_speculative_tokens      scheduler.speculative.num_tokens search.draft_tokens
            least_loaded                least_outstanding
            least_load                  least_outstanding
            least_request               least_outstanding
            least_requests              least_outstanding
            least_connections           least_outstanding
            least_busy                  least_outstanding
            shortest_queue              least_outstanding
            queue_length                least_outstanding
            p2c                         power_of_two
            two_choices                 power_of_two
            power_of_two_choices        power_of_two
            rr                          round_robin
            kv                          kv_cost
            kv_router                   kv_cost
            kv_aware                    production_kv kv_cost
            kvaware                     production_kv
            prefix_aware                prefix
            prefixaware                 production_prefix
            prefix_cache                aibrix_prefix prefix
            sticky                      session
            consistent_hash             session
            consistent_hashing          session
            lora                        adapter
            lora_aware                  adapter
            ttft                        slo
            ttft_ms                     slo
            ttft_slo                    slo
            ttft_p99_ms                 slo
            ttft_p99                    slo
            tpot                        slo
            tpot_ms                     slo
            tpot_p99_ms                 slo
            itl                         slo
            itl_ms                      slo
            e2e_ms                      slo
            slos                        slo
            sla                         slo
            goodput                     slo
            memory                      memory_utilization scheduler.gpu_memory_utilization
            gpu_memory                  memory_utilization scheduler.gpu_memory_utilization
            duration                    workload.duration
            cost                        cheapest
            price                       cheapest
            """;

    private ForeignNames() {}

    /** Returns how the product expresses a name that has no key of its own in a stage; empty if it is unknown. */
    public static Optional<String> explanation(String typed) {
        List<String> meant = typed.equals("slo") ? List.of("slo") : meant(typed);
        return switch (meant.isEmpty() ? "" : meant.get(0)) {
            case "slo" ->
                Optional.of("limits of latencies are written slo='ttft_p99_ms<500' in plan, and -m sweeper=capacity"
                        + " 'sweeper.slo=[ttft_p99_ms<=500]' in other stages");
            case "memory_utilization" ->
                Optional.of("the memory of a device comes from hardware=; scheduler.gpu_memory_utilization or"
                        + " memory_utilization is the share that the engine uses");
            default -> Optional.empty();
        };
    }

    /** Returns the product's names for a name in another tool, best first; empty if it is unknown. */
    public static List<String> meant(String typed) {
        String name = typed.replaceFirst("^-+", "").replace('-', '_').toLowerCase(Locale.ROOT);
        return all().getOrDefault(name, List.of());
    }

    /** Returns the whole table. */
    public static Map<String, List<String>> all() {
        Map<String, List<String>> all = new LinkedHashMap<>();
        TABLE.lines()
                .map(line -> Arrays.asList(line.split(" +")))
                .forEach(names -> all.put(names.get(0), names.subList(1, names.size())));
        return all;
    }
}
