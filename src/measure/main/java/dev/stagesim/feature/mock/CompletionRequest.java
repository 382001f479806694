package dev.stagesim.feature.mock;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * A completion request. The server generates filler text of the requested length, so members that only shape the text
 * (temperature, seed) are checked and have no effect. A stop text that occurs in the filler text is an error.
 *
 * @param chat true for chat completions
 * @param stream true if tokens are sent as they are generated
 * @param usage true if a stream ends with the token counts
 * @param model name of the model; empty if absent
 * @param promptTokens number of prompt tokens
 * @param outputTokens number of output tokens
 */
record CompletionRequest(
        boolean chat, boolean stream, boolean usage, Optional<String> model, int promptTokens, long outputTokens) {
    private static final int MAX_SHOWN = 40;
    private static final List<Range> RANGES = List.of(
            new Range("n", 1, 1, true),
            new Range("best_of", 1, 1, true),
            new Range("seed", Long.MIN_VALUE, Long.MAX_VALUE, true),
            new Range("top_logprobs", 0, 0, true),
            new Range("temperature", 0, 2, false),
            new Range("top_p", 0, 1, false),
            new Range("presence_penalty", -2, 2, false),
            new Range("frequency_penalty", -2, 2, false));

    /** The legal values of a numeric member, both ends included. */
    private record Range(String name, double min, double max, boolean integer) {
        void check(LocatedJson root) throws ApiError {
            Optional<LocatedJson> given = root.find(name);
            if (given.isPresent()) {
                double value = number(given.get(), name);
                if (value < min || value > max || (integer && value != Math.rint(value))) {
                    throw ApiError.invalid(name, name + " must be " + describe() + ", got " + text(given.get()));
                }
            }
        }

        private String describe() {
            String kind = integer ? "an integer" : "a number";
            return min == max
                    ? Long.toString((long) min)
                    : Math.abs(min) > 1e9 ? kind + " of 64 bits" : kind + " from " + (long) min + " to " + (long) max;
        }
    }

    /**
     * Reads the body of a request.
     *
     * @param defaultTokens output tokens if the request does not specify them
     * @param counter counts the tokens of a text
     */
    static CompletionRequest read(boolean chat, byte[] body, int defaultTokens, ToIntFunction<String> counter)
            throws ApiError {
        try {
            LocatedJson root = Json.parse(new String(body, StandardCharsets.UTF_8), "body");
            for (Range range : RANGES) {
                range.check(root);
            }
            rejectUnlessFalse(root, "echo");
            rejectUnlessFalse(root, "logprobs");
            checkStop(root);
            boolean usage = root.find("stream_options", "include_usage")
                    .map(LocatedJson::asBool)
                    .orElse(false);
            int prompt = chat ? messageTokens(root, counter) : promptTokens(root, counter);
            return new CompletionRequest(
                    chat,
                    root.flag("stream"),
                    usage,
                    root.find("model").map(LocatedJson::asString),
                    Math.max(1, prompt),
                    outputTokens(root, defaultTokens));
        } catch (StageException e) {
            Problem problem = e.problems().get(0);
            throw ApiError.invalid(member(problem.where()), problem.where() + ": " + problem.what());
        }
    }

    /** Returns the top-level member of a JSON pointer, or an empty text. */
    private static String member(String where) {
        int pointer = where.indexOf("#/");
        return pointer < 0 ? "" : where.substring(pointer + 2).replaceFirst("/.*", "");
    }

    private static double number(LocatedJson at, String name) throws ApiError {
        try {
            return at.asDouble();
        } catch (StageException e) {
            throw ApiError.invalid(name, name + " must be a number, got " + text(at));
        }
    }

    private static String text(LocatedJson at) {
        String text = Json.compact(at.value());
        return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
    }

    /** Rejects stop texts that would end the output before its length is reached. */
    private static void checkStop(LocatedJson root) throws ApiError {
        Optional<LocatedJson> given = root.find("stop");
        if (given.isEmpty()) {
            return;
        }
        boolean single = given.get().value() instanceof JsonValue.Str;
        for (LocatedJson stop : single ? List.of(given.get()) : given.get().items()) {
            if (CompletionStream.canContain(stop.asString())) {
                throw ApiError.invalid(
                        "stop",
                        "'" + stop.asString()
                                + "' occurs in the text of this server, which always has max_tokens tokens");
            }
        }
    }

    private static void rejectUnlessFalse(LocatedJson root, String name) throws ApiError {
        Optional<LocatedJson> given = root.find(name).filter(at -> !at.value().equals(JsonValue.of(false)));
        if (given.isPresent()) {
            throw ApiError.invalid(name, name + " is not supported: this server runs no model");
        }
    }

    /** Returns the requested output tokens; {@link MockService} compares them with the context length. */
    private static long outputTokens(LocatedJson root, int defaultTokens) throws ApiError {
        for (String name : List.of("max_completion_tokens", "max_tokens")) {
            Optional<LocatedJson> given = root.find(name);
            if (given.isPresent()) {
                double tokens = number(given.get(), name);
                if (tokens < 1 || tokens != Math.rint(tokens)) {
                    throw ApiError.invalid(
                            name, name + " must be an integer that is at least 1, got " + text(given.get()));
                }
                return (long) tokens;
            }
        }
        return defaultTokens;
    }

    /** Counts the tokens of a text or of a list of token ids. Several prompts would need several choices. */
    private static int promptTokens(LocatedJson root, ToIntFunction<String> counter) throws ApiError {
        LocatedJson prompt = root.find("prompt").orElseThrow(() -> ApiError.invalid("prompt", "prompt is missing"));
        if (prompt.value() instanceof JsonValue.Str text) {
            return counter.applyAsInt(text.value());
        }
        List<LocatedJson> items = prompt.items();
        if (!items.isEmpty() && items.get(0).value() instanceof JsonValue.Int) {
            return prompt.asLongs().length;
        }
        if (items.size() != 1) {
            throw ApiError.invalid("prompt", "prompt must be one text or one list of token ids");
        }
        LocatedJson only = items.get(0);
        return only.value() instanceof JsonValue.Str text ? counter.applyAsInt(text.value()) : only.asLongs().length;
    }

    private static int messageTokens(LocatedJson root, ToIntFunction<String> counter) throws ApiError {
        LocatedJson messages =
                root.find("messages").orElseThrow(() -> ApiError.invalid("messages", "messages is missing"));
        if (messages.items().isEmpty()) {
            throw ApiError.invalid("messages", "messages is empty");
        }
        int tokens = 0;
        for (LocatedJson message : messages.items()) {
            message.get("role").asString();
            Optional<LocatedJson> content = message.find("content");
            if (content.isPresent() && content.get().value() instanceof JsonValue.Str text) {
                tokens += counter.applyAsInt(text.value());
            } else if (content.isPresent()) {
                for (LocatedJson part : content.get().items()) {
                    tokens += counter.applyAsInt(part.text("text", ""));
                }
            }
        }
        return tokens;
    }
}
