package dev.stagesim.bench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a server says of itself besides answers: its version, its longest sequence, and the settings of its KV cache. Servers need
 * not say any of it; what cannot be had is left out.
 */
public final class ServerFacts {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Settings of the cache as vLLM's metrics have them: labels of a gauge. */
    private static final Pattern CACHE = Pattern.compile("(?m)^vllm:cache_config_info\\{(.*)} ");

    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
    private static final Set<String> TOLD = Set.of(
            "block_size",
            "num_gpu_blocks",
            "gpu_memory_utilization",
            "enable_prefix_caching",
            "cache_dtype",
            "num_cpu_blocks");

    private final Endpoint endpoint;
    private final HttpClient client;
    private final Map<String, JsonValue> facts = new TreeMap<>();

    private ServerFacts(Endpoint endpoint, HttpClient client) {
        this.endpoint = endpoint;
        this.client = client;
    }

    /** Counters of the prefix cache, in tokens, as vLLM and SGLang name them. */
    private static final Pattern HITS =
            counter("vllm:(?:gpu_)?prefix_cache_hits(?:_total)?|sglang:cached_tokens_total");

    private static final Pattern QUERIES =
            counter("vllm:(?:gpu_)?prefix_cache_queries(?:_total)?|sglang:prompt_tokens_total");

    /**
     * Tokens that the server looked up in its prefix cache since it started.
     *
     * @param hits tokens found
     * @param queries tokens looked up
     */
    public record PrefixCache(double hits, double queries) {
        /** What was looked up since {@code earlier}. */
        public PrefixCache since(PrefixCache earlier) {
            return new PrefixCache(hits - earlier.hits, queries - earlier.queries);
        }
    }

    private static Pattern counter(String names) {
        return Pattern.compile("(?m)^(?:" + names + ")(?:\\{[^\n]*\\})? ([-+.eE0-9]+)\\s*$");
    }

    /** The counters of the server's prefix cache, or empty if it reports none. */
    public static Optional<PrefixCache> prefixCache(Endpoint endpoint) {
        String metrics = of(endpoint).get("/metrics").orElse("");
        return QUERIES.matcher(metrics).find()
                ? Optional.of(new PrefixCache(sum(HITS, metrics), sum(QUERIES, metrics)))
                : Optional.empty();
    }

    private static double sum(Pattern counter, String metrics) {
        Matcher lines = counter.matcher(metrics);
        double sum = 0;
        while (lines.find()) {
            try {
                sum += Double.parseDouble(lines.group(1));
            } catch (NumberFormatException e) {
                // not a number that a counter can have
            }
        }
        return sum;
    }

    /** Names of the models that the server lists; empty if it lists none. */
    public static List<String> models(Endpoint endpoint) {
        List<String> names = new ArrayList<>();
        try {
            json(of(endpoint).get("/models")).flatMap(root -> root.find("data")).ifPresent(data -> data.items()
                    .forEach(item -> item.find("id").ifPresent(id -> names.add(id.asString()))));
        } catch (StageException e) {
            // the list is not one as OpenAI gives it
        }
        return names;
    }

    /** Asks a server; facts by the names that engines give them. */
    public static Map<String, JsonValue> ask(Endpoint endpoint) {
        ServerFacts asked = of(endpoint);
        asked.models();
        asked.version();
        asked.cache();
        return asked.facts;
    }

    private static ServerFacts of(Endpoint endpoint) {
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(PATIENCE)
                .build();
        return new ServerFacts(endpoint, client);
    }

    /** The key goes to the interface that asks for it, not to what operators look at. */
    private Optional<String> get(String path) {
        String base = endpoint.base().toString().replaceAll("/+$", "");
        String root = base.replaceAll("/v\\d+$", "");
        boolean isModels = path.equals("/models");
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(isModels ? base + path : root + path))
                    .timeout(PATIENCE)
                    .GET();
            endpoint.apiKey()
                    .filter(key -> isModels)
                    .ifPresent(key -> request.header("Authorization", "Bearer " + key));
            HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static Optional<JsonAt> json(Optional<String> text) {
        try {
            return text.map(body -> Json.parse(body, "answer"));
        } catch (StageException e) {
            return Optional.empty();
        }
    }

    private void models() {
        try {
            json(get("/models")).flatMap(root -> root.find("data")).ifPresent(data -> data.items().stream()
                    .filter(item -> item.find("id")
                            .filter(id -> id.value().equals(JsonValue.of(endpoint.model())))
                            .isPresent())
                    .findFirst()
                    .flatMap(item -> item.find("max_model_len"))
                    .ifPresent(length -> facts.put("max_model_len", length.value())));
        } catch (StageException e) {
            // the list is not one as OpenAI gives it
        }
    }

    private void version() {
        json(get("/version"))
                .filter(root -> root.value() instanceof JsonValue.Obj)
                .flatMap(root -> root.find("version"))
                .ifPresent(version -> facts.put("version", version.value()));
    }

    private void cache() {
        Matcher line = CACHE.matcher(get("/metrics").orElse(""));
        if (line.find()) {
            Matcher label = LABEL.matcher(line.group(1));
            while (label.find()) {
                if (TOLD.contains(label.group(1))) {
                    facts.put(label.group(1), JsonValue.of(label.group(2)));
                }
            }
        }
    }
}
