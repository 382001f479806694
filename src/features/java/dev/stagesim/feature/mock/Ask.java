package dev.stagesim.feature.mock;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/**
 * What a completion request asks for. Members that shape only the text (temperature, seed) are accepted: the text is made up and has
 * the length that is asked for. A stop text that occurs in it is refused.
 *
 * @param chat chat completions, else plain ones
 * @param stream whether tokens are sent as they come
 * @param usage whether a stream ends with the counts
 * @param model name in the request; empty when it has none
 * @param promptTokens tokens of the prompt
 * @param outputTokens tokens to give
 */
record Ask(boolean chat, boolean stream, boolean usage, Optional<String> model, int promptTokens, int outputTokens) {
    /**
     * Reads the body of a request.
     *
     * @param defaultTokens output tokens when it does not say
     * @param counter counts the tokens of a text
     */
    static Ask read(boolean chat, byte[] body, int defaultTokens, ToIntFunction<String> counter) throws Refusal {
        try {
            LocatedJson root = Json.parse(new String(body, StandardCharsets.UTF_8), "body");
            one(root, "n");
            one(root, "best_of");
            no(root, "echo");
            no(root, "logprobs");
            stop(root);
            boolean stream = root.find("stream").map(LocatedJson::asBool).orElse(false);
            boolean usage = root.find("stream_options")
                    .flatMap(options -> options.find("include_usage"))
                    .map(LocatedJson::asBool)
                    .orElse(false);
            int prompt = chat ? messages(root, counter) : prompt(root, counter);
            return new Ask(
                    chat,
                    stream,
                    usage,
                    root.find("model").map(LocatedJson::asString),
                    Math.max(1, prompt),
                    tokens(root, defaultTokens));
        } catch (StageException e) {
            throw Refusal.invalid(
                    "", e.problems().get(0).where() + ": " + e.problems().get(0).what());
        }
    }

    private static void one(LocatedJson root, String name) throws Refusal {
        if (root.find(name).map(LocatedJson::asLong).orElse(1L) != 1) {
            throw Refusal.invalid(name, name + " must be 1: this server gives one choice");
        }
    }

    /** Refuses stop texts that occur in the text of answers, which has the length that was asked for. */
    private static void stop(LocatedJson root) throws Refusal {
        Optional<LocatedJson> given = root.find("stop").filter(at -> !at.value().equals(JsonValue.NULL));
        if (given.isEmpty()) {
            return;
        }
        List<LocatedJson> stops = given.get().value() instanceof JsonValue.Str
                ? List.of(given.get())
                : given.get().items();
        for (LocatedJson stop : stops) {
            if (Answer.canContain(stop.asString())) {
                throw Refusal.invalid(
                        "stop",
                        "'" + stop.asString()
                                + "' occurs in the text that this server makes up, which ends at max_tokens" + " only");
            }
        }
    }

    private static void no(LocatedJson root, String name) throws Refusal {
        Optional<LocatedJson> given = root.find(name).filter(at -> !at.value().equals(JsonValue.of(false)));
        if (given.isPresent()) {
            throw Refusal.invalid(name, name + " is not supported: the text is made up");
        }
    }

    private static int tokens(LocatedJson root, int defaultTokens) throws Refusal {
        Optional<LocatedJson> given = root.find("max_completion_tokens").or(() -> root.find("max_tokens"));
        long tokens = given.map(LocatedJson::asLong).orElse((long) defaultTokens);
        if (tokens < 1 || tokens > Integer.MAX_VALUE) {
            throw Refusal.invalid("max_tokens", "max_tokens must be at least 1, got " + tokens);
        }
        return (int) tokens;
    }

    /** A text, or token ids; a list of several prompts asks for several choices. */
    private static int prompt(LocatedJson root, ToIntFunction<String> counter) throws Refusal {
        LocatedJson prompt = root.find("prompt").orElseThrow(() -> Refusal.invalid("prompt", "prompt is missing"));
        if (prompt.value() instanceof JsonValue.Str text) {
            return counter.applyAsInt(text.value());
        }
        List<LocatedJson> items = prompt.items();
        if (!items.isEmpty() && items.get(0).value() instanceof JsonValue.Int) {
            return prompt.asLongs().length;
        }
        if (items.size() != 1) {
            throw Refusal.invalid("prompt", "prompt must be one text or one list of token ids");
        }
        LocatedJson only = items.get(0);
        return only.value() instanceof JsonValue.Str text ? counter.applyAsInt(text.value()) : only.asLongs().length;
    }

    private static int messages(LocatedJson root, ToIntFunction<String> counter) throws Refusal {
        LocatedJson messages =
                root.find("messages").orElseThrow(() -> Refusal.invalid("messages", "messages is missing"));
        if (messages.items().isEmpty()) {
            throw Refusal.invalid("messages", "messages is empty");
        }
        int tokens = 0;
        for (LocatedJson message : messages.items()) {
            message.get("role").asString();
            Optional<LocatedJson> content = message.find("content");
            if (content.isPresent() && content.get().value() instanceof JsonValue.Str text) {
                tokens += counter.applyAsInt(text.value());
            } else if (content.isPresent()) {
                for (LocatedJson part : content.get().items()) {
                    tokens += part.find("text")
                            .map(LocatedJson::asString)
                            .map(counter::applyAsInt)
                            .orElse(0);
                }
            }
        }
        return tokens;
    }
}
