package dev.stagesim.feature.mock;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The addresses of OpenAI's interface and of operators.
 *
 * @param created when the server opened, in seconds since 1970; the time of the clock is 0 then
 */
record Routes(MockOptions options, MockService service, long created) {
    private static final long NS_PER_S = 1_000_000_000L;
    private static final String JSON = "application/json";
    private static final Set<String> OPEN = Set.of("/health", "/metrics", "/ping");
    private static final Set<String> READ = Set.of("/health", "/metrics", "/ping", "/version", "/v1/models");
    private static final Set<String> COMPLETE = Set.of("/v1/completions", "/v1/chat/completions");

    /** Refuses a request that its head alone rules out: path, method or API key. Its body need not be read. */
    void admit(HttpRequest request) throws Refusal {
        String path = decoded(request.path());
        if (!READ.contains(path) && !COMPLETE.contains(path) && !isModel(path)) {
            throw Refusal.of(404, "invalid_request_error", "not_found", "there is no " + path);
        }
        String method = COMPLETE.contains(path) ? "POST" : "GET";
        if (!request.method().equals(method)) {
            throw Refusal.of(405, "invalid_request_error", "", path + " takes " + method);
        }
        if (!OPEN.contains(path)) {
            authorise(request);
        }
    }

    private boolean isModel(String path) {
        return path.equals("/v1/models/" + options.model());
    }

    /** Answers a request that came at a time, or begins to. */
    void answer(HttpRequest request, Connection connection, long nowNs) throws Refusal {
        admit(request);
        String path = decoded(request.path());
        if (COMPLETE.contains(path)) {
            complete(request, connection, nowNs);
        } else if (path.equals("/metrics")) {
            connection.respond(200, "text/plain; version=0.0.4; charset=utf-8", service.gauges());
        } else if (path.equals("/v1/models")) {
            JsonValue.Obj list = JsonValue.object()
                    .put("object", "list")
                    .put("data", JsonValue.of(List.of(model())))
                    .build();
            connection.respond(200, JSON, Json.compact(list));
        } else if (isModel(path)) {
            connection.respond(200, JSON, Json.compact(model()));
        } else {
            connection.respond(200, JSON, path.equals("/version") ? "{\"version\":\"stagesim\"}" : "{}");
        }
    }

    /** Returns a path without percent encoding; clients encode the slash of a model's name. */
    private static String decoded(String path) throws Refusal {
        try {
            return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw Refusal.of(400, "invalid_request_error", "", "the path " + path + " has a wrong percent encoding");
        }
    }

    private JsonValue model() {
        return JsonValue.object()
                .put("id", options.model())
                .put("object", "model")
                .put("created", created)
                .put("owned_by", "stagesim")
                .put("max_model_len", (long) service.longest())
                .build();
    }

    private void authorise(HttpRequest request) throws Refusal {
        if (options.apiKey().isPresent()) {
            byte[] wanted = ("Bearer " + options.apiKey().get()).getBytes(StandardCharsets.UTF_8);
            byte[] given = request.header("authorization").orElse("").getBytes(StandardCharsets.UTF_8);
            if (!MessageDigest.isEqual(wanted, given)) {
                throw Refusal.of(401, "invalid_request_error", "invalid_api_key", "the API key is missing or wrong");
            }
        }
    }

    private void complete(HttpRequest request, Connection connection, long nowNs) throws Refusal {
        boolean chat = decoded(request.path()).endsWith("/chat/completions");
        Ask ask = Ask.read(chat, request.body(), options.defaultTokens(), options.counter());
        Optional<String> other = ask.model().filter(name -> !name.equals(options.model()));
        if (other.isPresent()) {
            throw Refusal.of(
                    404,
                    "invalid_request_error",
                    "model_not_found",
                    "the model '" + other.get() + "' does not exist; this server has '" + options.model() + "'");
        }
        String clientId = request.header("x-request-id").orElse("");
        service.submit(ask, nowNs, connection, clientId, options.model(), created + nowNs / NS_PER_S);
        if (ask.stream()) {
            connection.beginStream(request.version11());
        }
    }
}
