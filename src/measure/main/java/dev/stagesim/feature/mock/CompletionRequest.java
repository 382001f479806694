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
 * (temperature, seed) are checked and have no effect.
 *
 * @param chat true for chat completions
 * @param stream true if tokens are sent as they are generated
 * @param usage true if a stream ends with the token counts
 * @param model name of the model; empty if absent
 * @param promptTokens number of tokens of each prompt
 * @param choices number of outputs per prompt
 * @param outputTokens maximum number of output tokens of a choice
 * @param stop texts that end an output
 */
record CompletionRequest(
        boolean chat,
        boolean stream,
        boolean usage,
        Optional<String> model,
        List<Integer> promptTokens,
        int choices,
        long outputTokens,
        Stop stop) {
    private static final int MAX_SHOWN = 40;
    private static final int MAX_CHOICES = 128;
    private static final List<Range> RANGES = List.of(
            new Range("n", 1, MAX_CHOICES, true),
            new Range("min_tokens", 0, Integer.MAX_VALUE, true),
            new Range("seed", Long.MIN_VALUE, Long.MAX_VALUE, true),
            new Range("top_logprobs", 0, 0, true),
            new Range("temperature", 0, 2, false),
            new Range("top_p", 0, 1, false),
            new Range("presence_penalty", -2, 2, false),
            new Range("frequency_penalty", -2, 2, false));

    CompletionRequest {
        promptTokens = List.copyOf(promptTokens);
    }

    /**
     * The texts that end an output.
     *
     * @param minTokens number of output tokens in which they have no effect
     */
    record Stop(List<String> texts, int minTokens) {
        Stop {
            texts = List.copyOf(texts);
        }
    }

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
            boolean usage = root.find("stream_options", "include_usage")
                    .map(LocatedJson::asBool)
                    .orElse(false);
            int choices = integer(root, "n", 1);
            rejectOtherBestOf(root, choices);
            return new CompletionRequest(
                    chat,
                    root.flag("stream"),
                    usage,
                    root.find("model").map(LocatedJson::asString),
                    chat ? List.of(messageTokens(root, counter)) : promptTokens(root, counter),
                    choices,
                    outputTokens(root, defaultTokens),
                    stop(root));
        } catch (StageException e) {
            throw invalid(e);
        }
    }

    /** Counts the tokens of the text or the messages in the body of a request for tokens. */
    static int countTokens(byte[] body, ToIntFunction<String> counter) throws ApiError {
        try {
            LocatedJson root = Json.parse(new String(body, StandardCharsets.UTF_8), "body");
            return root.has("messages")
                    ? messageTokens(root, counter)
                    : counter.applyAsInt(root.get("prompt").asString());
        } catch (StageException e) {
            throw invalid(e);
        }
    }

    private static ApiError invalid(StageException e) {
        Problem problem = e.problems().get(0);
        return ApiError.invalid(member(problem.where()), problem.where() + ": " + problem.what());
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

    private static int integer(LocatedJson root, String name, int otherwise) throws ApiError {
        Optional<LocatedJson> given = root.find(name);
        return given.isPresent() ? (int) number(given.get(), name) : otherwise;
    }

    private static String text(LocatedJson at) {
        String text = Json.compact(at.value());
        return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
    }

    private static Stop stop(LocatedJson root) throws ApiError {
        Optional<LocatedJson> given = root.find("stop");
        List<LocatedJson> all = given.filter(at -> at.value() instanceof JsonValue.Str)
                .map(List::of)
                .orElseGet(() -> given.map(LocatedJson::items).orElse(List.of()));
        List<String> texts = all.stream().map(LocatedJson::asString).toList();
        if (texts.contains("")) {
            throw ApiError.invalid("stop", "stop contains an empty text");
        }
        return new Stop(texts, integer(root, "min_tokens", 0));
    }

    /** The outputs are equally good, so the server generates exactly the requested ones. */
    private static void rejectOtherBestOf(LocatedJson root, int choices) throws ApiError {
        Optional<LocatedJson> given = root.find("best_of");
        if (given.isPresent() && number(given.get(), "best_of") != choices) {
            throw ApiError.invalid(
                    "best_of", "best_of must equal n, which is " + choices + ", got " + text(given.get()));
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
                int min = integer(root, "min_tokens", 0);
                if (min > tokens) {
                    throw ApiError.invalid(
                            "min_tokens",
                            "min_tokens must be less than or equal to max_tokens=" + (long) tokens + ", got " + min
                                    + ".");
                }
                return (long) tokens;
            }
        }
        return defaultTokens;
    }

    /** Counts the tokens of each prompt: a text, a list of token ids, or a list of either. */
    private static List<Integer> promptTokens(LocatedJson root, ToIntFunction<String> counter) throws ApiError {
        LocatedJson prompt = root.find("prompt").orElseThrow(() -> ApiError.invalid("prompt", "prompt is missing"));
        boolean isSingle = prompt.value() instanceof JsonValue.Str
                || prompt.items().stream().limit(1).anyMatch(item -> item.value() instanceof JsonValue.Int);
        List<LocatedJson> prompts = isSingle ? List.of(prompt) : prompt.items();
        List<Integer> lengths = prompts.stream().map(at -> tokens(at, counter)).toList();
        if (lengths.isEmpty() || lengths.contains(0)) {
            throw ApiError.invalid("prompt", "prompt is empty");
        }
        return lengths;
    }

    private static int tokens(LocatedJson prompt, ToIntFunction<String> counter) {
        return prompt.value() instanceof JsonValue.Str text
                ? Math.max(1, counter.applyAsInt(text.value()))
                : prompt.asLongs().length;
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
        return Math.max(1, tokens);
    }
}
