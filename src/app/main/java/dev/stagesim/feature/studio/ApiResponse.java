package dev.stagesim.feature.studio;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Response to a request.
 *
 * @param body content, unless the response is a file
 * @param file file to send, if any
 * @param policy content security policy
 * @param headers additional headers
 */
record ApiResponse(
        int status, String type, byte[] body, Optional<Path> file, String policy, Map<String, String> headers) {
    /** Policy for the studio's own pages: nothing from other origins, and only the studio's scripts. */
    private static final String OURS = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    /**
     * Policy for content of runs: a sandboxed origin without cookies and network access. The frame ancestors are listed
     * by name because 'self' does not match in a sandbox; {@link Guard} rejects pages of other ports.
     */
    private static final String SANDBOX = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline';"
            + " style-src 'unsafe-inline'; img-src data:; frame-ancestors http://127.0.0.1:* http://localhost:*";

    static ApiResponse json(JsonValue value) {
        return json(200, value);
    }

    static ApiResponse json(int status, JsonValue value) {
        return text(status, "application/json", Json.compact(value));
    }

    /** Creates an error response with a message. */
    static ApiResponse refuse(int status, String why) {
        return json(status, JsonValue.object().put("error", why).build());
    }

    static ApiResponse ours(String type, String text) {
        return text(200, type, text);
    }

    private static ApiResponse text(int status, String type, String text) {
        return new ApiResponse(
                status,
                type + "; charset=utf-8",
                text.getBytes(StandardCharsets.UTF_8),
                Optional.empty(),
                OURS,
                Map.of());
    }

    /** Creates a page from the content of a run. */
    static ApiResponse foreignPage(String html) {
        return new ApiResponse(
                200,
                "text/html; charset=utf-8",
                html.getBytes(StandardCharsets.UTF_8),
                Optional.empty(),
                SANDBOX,
                Map.of());
    }

    /** Creates a response with a file of a run. */
    static ApiResponse file(Path file, String type, boolean save) {
        Map<String, String> headers = save ? Map.of("Content-Disposition", "attachment") : Map.of();
        return new ApiResponse(200, type, new byte[0], Optional.of(file), SANDBOX, headers);
    }

    static ApiResponse moved(String to, String cookie) {
        return new ApiResponse(
                303, "text/plain", new byte[0], Optional.empty(), OURS, Map.of("Location", to, "Set-Cookie", cookie));
    }
}
