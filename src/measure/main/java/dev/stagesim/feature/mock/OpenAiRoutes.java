package dev.stagesim.feature.mock;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * The paths of OpenAI's interface, of health checks and of metrics.
 *
 * @param created Unix time in seconds at which the server started, which is simulated time 0
 */
record OpenAiRoutes(MockOptions options, MockService service, long created) {
    private static final long NS_PER_S = 1_000_000_000L;
    private static final String JSON = "application/json";
    private static final Set<String> OPEN = Set.of("/health", "/metrics", "/ping");
    private static final Set<String> READ = Set.of("/health", "/metrics", "/ping", "/version", "/v1/models");
    private static final Set<String> COMPLETE = Set.of("/v1/completions", "/v1/chat/completions");
    private static final String TOKENIZE = "/tokenize";

    /** Checks path, method and API key, before the body is read. */
    void checkHead(HttpRequest request) throws ApiError {
        String path = decoded(request.path());
        boolean isPost = COMPLETE.contains(path) || path.equals(TOKENIZE);
        if (!READ.contains(path) && !isPost && !isModel(path)) {
            throw ApiError.of(404, "invalid_request_error", "not_found", "unknown path " + path);
        }
        String method = isPost ? "POST" : "GET";
        if (!request.method().equals(method)) {
            throw ApiError.of(405, "invalid_request_error", "", path + " requires " + method);
        }
        if (!OPEN.contains(path)) {
            authorise(request);
        }
    }

    private boolean isModel(String path) {
        return path.equals("/v1/models/" + options.model());
    }

    /** Responds to a request, or starts a simulated completion. */
    void answer(HttpRequest request, Connection connection, long nowNs) throws ApiError {
        checkHead(request);
        String path = decoded(request.path());
        if (COMPLETE.contains(path)) {
            complete(request, connection, nowNs);
        } else if (path.equals(TOKENIZE)) {
            connection.respond(200, JSON, Json.compact(tokenized(request)));
        } else if (path.equals("/metrics")) {
            connection.respond(200, "text/plain; version=0.0.4; charset=utf-8", service.metrics());
        } else if (path.equals("/v1/models")) {
            JsonValue.Obj list = JsonValue.object()
                    .put("object", "list")
                    .put("data", JsonValue.of(List.of(model())))
                    .build();
            connection.respond(200, JSON, Json.compact(list));
        } else if (isModel(path)) {
            connection.respond(200, JSON, Json.compact(model()));
        } else {
            JsonObjectBuilder body = JsonValue.object();
            connection.respond(
                    200,
                    JSON,
                    Json.compact((path.equals("/version") ? body.put("version", options.version()) : body).build()));
        }
    }

    /** Returns a path without percent encoding; clients encode the slash of a model name. */
    private static String decoded(String path) throws ApiError {
        try {
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw ApiError.of(
                    400, "invalid_request_error", "", "the path " + path + " has an invalid percent encoding");
        }
    }

    /** Counts the tokens of a text or of messages. The ids are the positions, because the server has no vocabulary. */
    private JsonValue tokenized(HttpRequest request) throws ApiError {
        int count = CompletionRequest.countTokens(request.body(), options.counter());
        return JsonValue.object()
                .put("count", (long) count)
                .put("max_model_len", (long) service.contextLength())
                .put(
                        "tokens",
                        JsonValue.of(LongStream.range(0, count)
                                .mapToObj(JsonValue::of)
                                .toList()))
                .build();
    }

    private JsonValue model() {
        return JsonValue.object()
                .put("id", options.model())
                .put("object", "model")
                .put("created", created)
                .put("owned_by", "stagesim")
                .put("max_model_len", (long) service.contextLength())
                .build();
    }

    private void authorise(HttpRequest request) throws ApiError {
        if (options.apiKey().isPresent()) {
            byte[] expected = ("Bearer " + options.apiKey().get()).getBytes(StandardCharsets.UTF_8);
            byte[] given = request.header("authorization").orElse("").getBytes(StandardCharsets.UTF_8);
            if (!MessageDigest.isEqual(expected, given)) {
                throw ApiError.of(401, "invalid_request_error", "invalid_api_key", "the API key is missing or wrong");
            }
        }
    }

    private void complete(HttpRequest request, Connection connection, long nowNs) throws ApiError {
        boolean chat = decoded(request.path()).endsWith("/chat/completions");
        CompletionRequest completion =
                CompletionRequest.read(chat, request.body(), options.defaultTokens(), options.counter());
        Optional<String> other = completion.model().filter(name -> !name.equals(options.model()));
        if (other.isPresent()) {
            throw ApiError.of(
                    404,
                    "invalid_request_error",
                    "model_not_found",
                    "the model '" + other.get() + "' does not exist; this server has '" + options.model() + "'");
        }
        String clientId = request.header("x-request-id").orElse("");
        service.submit(completion, nowNs, connection, clientId, options.model(), created + nowNs / NS_PER_S);
        if (completion.stream()) {
            connection.beginStream(request.version11());
        }
    }
}
