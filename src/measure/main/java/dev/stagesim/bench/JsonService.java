package dev.stagesim.bench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A client for a JSON interface over HTTP. */
public final class JsonService {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration UPLOAD_TIMEOUT = Duration.ofMinutes(10);

    private final URI base;
    private final Optional<String> token;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1) // Python servers do not support the upgrade to HTTP/2
            .connectTimeout(TIMEOUT)
            .build();

    /** A response. */
    public record Response(int status, String body) {}

    /**
     * Creates a client.
     *
     * @param base prefix of the paths
     * @param token bearer token, if any
     */
    public JsonService(URI base, Optional<String> token) {
        this.base = base;
        this.token = token;
    }

    /** Sends a GET request. */
    public Response get(String path) throws IOException {
        return send(request(path).GET());
    }

    /** Sends a POST request. */
    public Response post(String path, JsonValue body) throws IOException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(Json.compact(body))));
    }

    /** Sends a file with a PUT request. */
    public Response put(String path, Path file) throws IOException {
        return send(request(path).timeout(UPLOAD_TIMEOUT).PUT(HttpRequest.BodyPublishers.ofFile(file)));
    }

    private HttpRequest.Builder request(String path) {
        String root = base.toString().replaceFirst("/+$", "");
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(root + "/" + path)).timeout(TIMEOUT);
        token.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        return request;
    }

    private Response send(HttpRequest.Builder request) throws IOException {
        try {
            HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Response(answer.statusCode(), answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
