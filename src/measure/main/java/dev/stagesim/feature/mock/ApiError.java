package dev.stagesim.feature.mock;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.util.Optional;

/** A rejected request: the HTTP status and the error object of OpenAI's interface. */
final class ApiError extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String type;
    private final String parameter;
    private final String code;

    private ApiError(int status, String type, String parameter, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.type = type;
        this.parameter = parameter;
        this.code = code;
    }

    /** Returns the error for an invalid request. {@code parameter} is the JSON member, or empty. */
    static ApiError invalid(String parameter, String message) {
        return new ApiError(400, "invalid_request_error", parameter, "", message);
    }

    static ApiError of(int status, String type, String code, String message) {
        return new ApiError(status, type, "", code, message);
    }

    static ApiError tooLong(String message) {
        return new ApiError(400, "invalid_request_error", "max_tokens", "context_length_exceeded", message);
    }

    int status() {
        return status;
    }

    String body() {
        return Json.compact(JsonValue.object()
                .put(
                        "error",
                        JsonValue.object()
                                .put("message", String.valueOf(getMessage()))
                                .put("type", type)
                                .putOrNull("param", unlessEmpty(parameter))
                                .putOrNull("code", unlessEmpty(code))
                                .build())
                .build());
    }

    private static Optional<String> unlessEmpty(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }
}
