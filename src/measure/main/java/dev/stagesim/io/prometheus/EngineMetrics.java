package dev.stagesim.io.prometheus;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyNames;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The metrics of a serving engine under common names: vLLM, SGLang, TensorRT-LLM, and the front end of Dynamo. */
public record EngineMetrics(MetricsText text) {
    private static final Pattern ENGINE = Pattern.compile("(vllm:|sglang:|trtllm_|dynamo_frontend_).*");
    private static final double MS_PER_S = 1e3;
    private static final double PERCENT = 100;

    /** Labels of vLLM's cache gauge that describe the KV cache. */
    private static final Set<String> CACHE_LABELS = Set.of(
            "block_size",
            "num_gpu_blocks",
            "gpu_memory_utilization",
            "enable_prefix_caching",
            "cache_dtype",
            "num_cpu_blocks");

    /** Latencies of requests, with the letter of their definition. */
    public enum Latency {
        TTFT(""),
        TPOT("A"),
        TOKEN_GAP("B"),
        E2E("");

        private final String definition;

        Latency(String definition) {
            this.definition = definition;
        }

        public String metric() {
            return KeyNames.constant(this);
        }

        public String definition() {
            return definition;
        }
    }

    /** Names of histograms in seconds, by the name of the metric in ms. Only the mean of these histograms is used. */
    private static final Map<String, List<String>> PARTS = new TreeMap<>(Map.of(
            "queue_mean_ms", List.of("request_queue_time_seconds", "queue_time_seconds"),
            "prefill_mean_ms", List.of("request_prefill_time_seconds"),
            "decode_mean_ms", List.of("request_decode_time_seconds"),
            "inference_mean_ms", List.of("request_inference_time_seconds")));

    /** Returns the prefix of the engine's metrics, or empty if the engine is not supported. */
    public Optional<String> prefix() {
        return text.samples().keySet().stream()
                .map(ENGINE::matcher)
                .filter(Matcher::matches)
                .map(matcher -> matcher.group(1))
                .findFirst();
    }

    /** Returns the histogram of a latency, or empty. TensorRT-LLM's time per output token is the mean of a request. */
    public Optional<Histogram> latency(Latency latency) {
        boolean isTrt = prefix().filter("trtllm_"::equals).isPresent();
        List<String> names =
                switch (latency) {
                    case TTFT -> List.of("time_to_first_token_seconds");
                    case TPOT -> List.of((isTrt ? "" : "request_") + "time_per_output_token_seconds");
                    case TOKEN_GAP ->
                        isTrt ? List.of() : List.of("inter_token_latency_seconds", "time_per_output_token_seconds");
                    case E2E -> List.of("e2e_request_latency_seconds", "request_duration_seconds");
                };
        return named(names)
                .flatMap(name -> text.histogram(name, labels -> latency == Latency.E2E || isStreamed(labels)).stream())
                .findFirst();
    }

    /** An answer that is not streamed has no time to first token: SGLang counts its whole latency. */
    private static boolean isStreamed(Map<String, String> labels) {
        return !"false".equals(labels.get("is_streaming"));
    }

    private Optional<Histogram> first(List<String> names) {
        return named(names)
                .flatMap(name -> text.histogram(name, labels -> true).stream())
                .findFirst();
    }

    private Optional<Double> sum(String... names) {
        return named(List.of(names)).flatMap(name -> text.sum(name).stream()).findFirst();
    }

    private Stream<String> named(List<String> names) {
        return prefix().stream().flatMap(prefix -> names.stream().map(name -> prefix + name));
    }

    /** Names of the models that the metrics are labelled with. */
    public List<String> models() {
        return text.samples().entrySet().stream()
                .filter(metric -> ENGINE.matcher(metric.getKey()).matches())
                .flatMap(metric -> metric.getValue().stream())
                .flatMap(sample -> Optional.ofNullable(sample.labels().get("model_name")).stream())
                .distinct()
                .sorted()
                .toList();
    }

    /** Labels of the KV cache, as vLLM publishes them. */
    public Map<String, JsonValue> cache() {
        Map<String, JsonValue> cache = new TreeMap<>();
        text.of("vllm:cache_config_info").stream().limit(1).forEach(sample -> sample.labels()
                .forEach((name, value) -> {
                    if (CACHE_LABELS.contains(name)) {
                        cache.put(name, JsonValue.of(value));
                    }
                }));
        return cache;
    }

    /** Returns the prompt tokens looked up in the prefix cache, or empty if the engine does not count them. */
    public Optional<Double> prefixQueries() {
        return sum("prefix_cache_queries_total", "prefix_cache_queries", "gpu_prefix_cache_queries_total")
                .or(() -> isSglang() ? sum("prompt_tokens_total") : Optional.empty());
    }

    /** Prompt tokens found in the prefix cache. */
    public double prefixHits() {
        return sum("prefix_cache_hits_total", "prefix_cache_hits", "gpu_prefix_cache_hits_total")
                .or(() -> isSglang() ? sum("cached_tokens_total") : Optional.empty())
                .orElse(0.0);
    }

    private boolean isSglang() {
        return prefix().filter("sglang:"::equals).isPresent();
    }

    /** Means of the phases of requests in ms, lengths, preemptions, and the share of the prefix cache, by name. */
    public Map<String, Double> figures() {
        Map<String, Double> figures = new TreeMap<>();
        PARTS.forEach((name, theirs) -> first(theirs).ifPresent(times -> figures.put(name, times.mean() * MS_PER_S)));
        first(List.of("request_prompt_tokens", "prompt_tokens_histogram"))
                .ifPresent(lengths -> figures.put("prompt_tokens_mean", lengths.mean()));
        first(List.of("request_generation_tokens", "generation_tokens_histogram"))
                .ifPresent(lengths -> figures.put("output_tokens_mean", lengths.mean()));
        sum("num_preemptions_total").ifPresent(count -> figures.put("preemptions", count));
        prefixQueries()
                .filter(queries -> queries > 0)
                .ifPresent(queries -> figures.put("prefix_cache_hit_percent", PERCENT * prefixHits() / queries));
        return figures;
    }

    /** The name of the engine. */
    public String engine() {
        return Objects.requireNonNull(
                Map.of("vllm:", "vLLM", "sglang:", "SGLang", "trtllm_", "TensorRT-LLM", "dynamo_frontend_", "Dynamo")
                        .get(prefix().orElse("vllm:")));
    }
}
