package dev.stagesim.bench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/** A server that is asked with JSON over HTTP. */
public final class JsonService {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final URI base;
    private final Optional<String> token;
    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();

    /** What it said. */
    public record Answer(int status, String body) {}

    /**
     * Names a server.
     *
     * @param base what paths are below
     * @param token sent as a bearer's, where there is one
     */
    public JsonService(URI base, Optional<String> token) {
        this.base = base;
        this.token = token;
    }

    /** Asks for what is at a path. */
    public Answer get(String path) throws IOException {
        return ask(request(path).GET());
    }

    /** Sends a body to a path. */
    public Answer post(String path, JsonValue body) throws IOException {
        return ask(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(Json.compact(body))));
    }

    private HttpRequest.Builder request(String path) {
        String root = base.toString().replaceFirst("/+$", "");
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(root + "/" + path)).timeout(PATIENCE);
        token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        return request;
    }

    private Answer ask(HttpRequest.Builder request) throws IOException {
        try {
            HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(answer.statusCode(), answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
