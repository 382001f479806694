package dev.stagesim.bench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.prometheus.EngineMetrics;
import dev.stagesim.io.prometheus.MetricsText;
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
import java.util.TreeMap;

/**
 * Reads metadata of a server: its version, its context length, and the settings of its KV cache. Servers report them optionally;
 * missing values are omitted.
 */
public final class ServerFacts {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Endpoint endpoint;
    private final HttpClient client;
    private final Map<String, JsonValue> facts = new TreeMap<>();

    private ServerFacts(Endpoint endpoint, HttpClient client) {
        this.endpoint = endpoint;
        this.client = client;
    }

    /** Returns the server's metrics, or empty if it has none in a known form. */
    public static Optional<EngineMetrics> metrics(Endpoint endpoint) {
        try {
            return of(endpoint)
                    .get("/metrics")
                    .map(text -> new EngineMetrics(MetricsText.parse("/metrics", text)))
                    .filter(metrics -> metrics.prefix().isPresent());
        } catch (StageException e) {
            return Optional.empty(); // not in Prometheus format
        }
    }

    /** Returns the names of the server's models; empty if it lists none. */
    public static List<String> models(Endpoint endpoint) {
        List<String> names = new ArrayList<>();
        try {
            json(of(endpoint).get("/models")).flatMap(root -> root.find("data")).ifPresent(data -> data.items()
                    .forEach(item -> item.find("id").ifPresent(id -> names.add(id.asString()))));
        } catch (StageException e) {
            // the list does not have OpenAI's format
        }
        return names;
    }

    /** Returns the metadata of a server, with the names of the engines. */
    public static Map<String, JsonValue> read(Endpoint endpoint) {
        ServerFacts server = of(endpoint);
        server.models();
        server.version();
        metrics(endpoint).ifPresent(metrics -> server.facts.putAll(metrics.cache()));
        return server.facts;
    }

    private static ServerFacts of(Endpoint endpoint) {
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(TIMEOUT)
                .build();
        return new ServerFacts(endpoint, client);
    }

    /** Sends a GET request. Only OpenAI's interface receives the API key. */
    private Optional<String> get(String path) {
        String base = endpoint.base().toString().replaceAll("/+$", "");
        String root = base.replaceAll("/v\\d+$", "");
        boolean isModels = path.equals("/models");
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(isModels ? base + path : root + path))
                    .timeout(TIMEOUT)
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

    private static Optional<LocatedJson> json(Optional<String> text) {
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
            // the list does not have OpenAI's format
        }
    }

    private void version() {
        json(get("/version"))
                .filter(root -> root.value() instanceof JsonValue.Obj)
                .flatMap(root -> root.find("version"))
                .ifPresent(version -> facts.put("version", version.value()));
    }
}
