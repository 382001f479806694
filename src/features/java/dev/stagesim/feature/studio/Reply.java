package dev.stagesim.feature.studio;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * An answer to a request.
 *
 * @param body what it says, unless it is a file
 * @param file the file that it is
 * @param policy what a browser may load and run for it
 * @param headers further headers
 */
record Reply(int status, String type, byte[] body, Optional<Path> file, String policy, Map<String, String> headers) {
    /** The page's own files: nothing from elsewhere, and no script but ours. */
    private static final String OURS = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    /**
     * What runs hold: an origin of its own, which has no cookie and may ask for nothing. It is framed by name, as 'self' is nobody in a
     * sandbox; pages of other ports are refused before.
     */
    private static final String SANDBOX = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline';"
            + " style-src 'unsafe-inline'; img-src data:; frame-ancestors http://127.0.0.1:* http://localhost:*";

    static Reply json(JsonValue value) {
        return json(200, value);
    }

    static Reply json(int status, JsonValue value) {
        return text(status, "application/json", Json.compact(value));
    }

    /** A refusal in words. */
    static Reply refuse(int status, String why) {
        return json(status, JsonValue.object().put("error", why).build());
    }

    static Reply ours(String type, String text) {
        return text(200, type, text);
    }

    private static Reply text(int status, String type, String text) {
        return new Reply(
                status,
                type + "; charset=utf-8",
                text.getBytes(StandardCharsets.UTF_8),
                Optional.empty(),
                OURS,
                Map.of());
    }

    /** A page made from what runs hold. */
    static Reply foreignPage(String html) {
        return new Reply(
                200,
                "text/html; charset=utf-8",
                html.getBytes(StandardCharsets.UTF_8),
                Optional.empty(),
                SANDBOX,
                Map.of());
    }

    /** A file of a run. */
    static Reply file(Path file, String type, boolean save) {
        Map<String, String> headers = save ? Map.of("Content-Disposition", "attachment") : Map.of();
        return new Reply(200, type, new byte[0], Optional.of(file), SANDBOX, headers);
    }

    static Reply moved(String to, String cookie) {
        return new Reply(
                303, "text/plain", new byte[0], Optional.empty(), OURS, Map.of("Location", to, "Set-Cookie", cookie));
    }
}
