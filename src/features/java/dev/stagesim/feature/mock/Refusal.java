package dev.stagesim.feature.mock;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.util.Optional;

/** A request that is not served: the HTTP status and the error object that OpenAI's interface gives. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String type;
    private final String parameter;
    private final String code;

    private Refusal(int status, String type, String parameter, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.type = type;
        this.parameter = parameter;
        this.code = code;
    }

    /** The request itself is wrong; {@code parameter} names the member, empty for none. */
    static Refusal invalid(String parameter, String message) {
        return new Refusal(400, "invalid_request_error", parameter, "", message);
    }

    static Refusal of(int status, String type, String code, String message) {
        return new Refusal(status, type, "", code, message);
    }

    static Refusal tooLong(String message) {
        return new Refusal(400, "invalid_request_error", "messages", "context_length_exceeded", message);
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
                                .putOrNull("param", some(parameter))
                                .putOrNull("code", some(code))
                                .build())
                .build());
    }

    private static Optional<String> some(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }
}
