package dev.stagesim.comparison;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Facts that a run states about itself. Absent facts are missing from the maps.
 *
 * @param definitions definition of each metric in the words of the source
 */
public record Facts(
        Map<Figure, Double> figures,
        Map<Origin, String> origins,
        Map<Metric, String> definitions,
        Map<Setting, String> settings) {
    /** A number and its path in the run's documents. Numbers without a path come from tables. */
    public enum Figure {
        DECODE_HOST_US,
        DECODE_STEP_US,
        REQUESTS_LEFT_ASIDE,
        SERVED_LATE_NS,
        WEIGHT_READ_FLOOR_NS("weight_read_floor_ns"),
        PIPELINE_STAGES("cluster.num_pipeline_stages"),
        VIDUR_TOKEN_GAP_NS("other_simulations.vidur.token_gap_p50_ns"),
        VIDUR_TTFT_NS("other_simulations.vidur.ttft_p50_ns"),
        WAKE_LATE_NS("clock_noise.wake_late_p95_ns"),
        SEND_DELAY_NS("clock_noise.send_delay_p95_ns"),
        ROUND_TRIP_NS("clock_noise.round_trip_p95_ns"),
        OUTPUT_TOKENS_PER_S("rates.output_tokens_per_s"),
        TOTAL_TOKENS_PER_S("rates.total_tokens_per_s"),
        REQUESTS_PER_S("rates.requests_per_s"),
        CLIENTS("workload.closed_loop"),
        COMPLETED("settings.completed"),
        NUM_REQUESTS("settings.num_requests"),
        NUM_PROMPTS("settings.num_prompts");

        final String path;

        Figure() {
            this("");
        }

        Figure(String path) {
            this.path = path;
        }
    }

    /** Description of the origin of the run's values, for the report. */
    public enum Origin {
        MEASUREMENT("title"),
        ENGINE("engine.name"),
        SOURCE("attribution.source"),
        DATE("attribution.date"),
        USE("attribution.use"),
        WORKLOAD("workload.description"),
        CLOCK("clock");

        final String path;

        Origin(String path) {
            this.path = path;
        }

        public String title() {
            return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
        }
    }

    /** A setting that affects speed, with its names in engines and tools. */
    public enum Setting {
        TENSOR_PARALLEL("tensor parallel size", "tensor_parallel_size tp tp_size"),
        PIPELINE("pipeline stages", "num_pipeline_stages pipeline_parallel_size pp pp_size"),
        REPLICAS("replicas", "replicas num_replicas data_parallel_size dp dp_size"),
        EXPERT_PARALLEL("expert parallel size", "expert_parallel_size ep ep_size"),
        SCHEDULER("scheduler", "engine.scheduler scheduler.kind"),
        ENGINE_CARD("engine card", "engine.step.versions"),
        KV_BLOCKS("KV blocks", "num_gpu_blocks num_blocks total_blocks"),
        KV_BLOCK_SIZE("KV block size (tokens)", "block_size page_size"),
        KV_CACHE("KV cache (tokens)", "max_total_num_tokens max_total_tokens"),
        MEMORY(
                "share of memory for weights and cache",
                "gpu_memory_utilization mem_fraction_static kv_cache_percentage"),
        BATCH_SIZE(
                "batch size cap (requests)",
                "max_num_seqs batch_size_cap batch_cap max_batch_size max_running_requests"),
        BATCH_TOKENS("batch token cap", "max_num_batched_tokens max_tokens_in_batch max_num_tokens"),
        CHUNK_SIZE("chunk size (tokens)", "chunk_size chunked_prefill_size long_prefill_token_threshold"),
        PREFIX_CACHING("prefix caching", "enable_prefix_caching prefix_cache"),
        LONGEST("longest sequence (tokens)", "max_model_len max_seq_len context_length"),
        DATA_TYPE("data type", "dtype"),
        KV_TYPE("KV cache type", "kv_cache_dtype kv_dtype"),
        QUANTISATION("quantisation", "quantization quant"),
        SPECULATIVE("speculative decoding", "speculative_algorithm speculative_model spec"),
        ENGINE("engine", "engine.name"),
        ENGINE_VERSION("engine version", "engine.version vllm_version sglang_version version");

        private static final List<String> SECTIONS = List.of("", "settings.", "engine.", "cluster.", "scheduler.");

        private final String title;
        private final String names;

        Setting(String title, String names) {
            this.title = title;
            this.names = names;
        }

        public String title() {
            return title;
        }

        /** Returns the paths of the setting in a run's documents, the most likely first. */
        Stream<String> paths() {
            return SECTIONS.stream()
                    .flatMap(section -> Stream.of(names.split(" ", -1)).map(name -> section + name));
        }
    }
}
