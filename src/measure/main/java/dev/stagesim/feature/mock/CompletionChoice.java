package dev.stagesim.feature.mock;

import static dev.stagesim.feature.mock.CompletionResponse.bytes;

import dev.stagesim.feature.mock.RequestOutcome.Ending;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import java.io.ByteArrayOutputStream;
import java.util.Optional;

/** One output of a {@link CompletionResponse}: a request of the simulation. Converts its simulated tokens to text. */
final class CompletionChoice {
    private static final String[] WORDS = {
        " the", " of", " and", " to", " in", " for", " is", " on", " that", " by", " this", " with", " you", " it",
        " not", " or"
    };

    private final CompletionResponse response;
    private final boolean chat;
    private final int index;
    private final int promptTokens;
    private final long number;
    private final long arrivalNs;
    private final Extent extent;
    private final byte[] beforeText;
    private final byte[] afterText;
    private final StringBuilder whole = new StringBuilder();
    private final ByteArrayOutputStream event = new ByteArrayOutputStream(256);
    private int characters;
    private int generated;
    private long firstNs = -1;
    private long lastNs = -1;
    private int unsent;
    private long oldestUnsentNs;
    private long firstTokenDelayNs = -1;
    private long maxDelayNs = -1;

    /** Index of the request in the simulated service. */
    int place;

    /** True if the request was withdrawn from the simulated service because the client has disconnected. */
    boolean withdrawn;

    /**
     * Creates a choice without tokens.
     *
     * @param index index in the response
     * @param number number of the simulated request, in order of arrival
     */
    CompletionChoice(CompletionResponse response, int index, int promptTokens, long number, long arrivalNs) {
        this.response = response;
        this.chat = response.request().chat();
        this.index = index;
        this.promptTokens = promptTokens;
        this.number = number;
        this.arrivalNs = arrivalNs;
        this.extent = Extent.of(
                number,
                (int) response.request().outputTokens(),
                response.request().stop());
        this.beforeText = bytes(index + "," + (chat ? "\"delta\":{\"content\":\"" : "\"text\":\""));
        this.afterText = bytes((chat ? "\"}" : "\"") + ",\"logprobs\":null,\"finish_reason\":");
    }

    private static String word(long number, long token) {
        return WORDS[(int) ((number + token) % WORDS.length)];
    }

    /**
     * The end of an output.
     *
     * @param tokens number of generated tokens
     * @param characters number of characters, without the stop text
     * @param reason OpenAI's reason of the end
     */
    record Extent(int tokens, int characters, String reason) {
        /** Finds the first stop text. The words repeat, so only the first ones are searched. */
        static Extent of(long number, int maxTokens, CompletionRequest.Stop stop) {
            int longest = stop.texts().stream().mapToInt(String::length).max().orElse(0);
            long searched = longest == 0 ? 0 : Math.min(maxTokens, (long) stop.minTokens() + WORDS.length + longest);
            StringBuilder text = new StringBuilder();
            for (int token = 0; token < searched; token++) {
                String word = word(number, token);
                text.append(word);
                int end = text.length();
                int start = stop.texts().stream()
                        .mapToInt(texts -> text.indexOf(texts, Math.max(0, end - word.length() - texts.length() + 1)))
                        .filter(at -> at >= 0)
                        .min()
                        .orElse(-1);
                if (token >= stop.minTokens() && start >= 0) {
                    return new Extent(token + 1, start, "stop");
                }
            }
            return new Extent(maxTokens, Integer.MAX_VALUE, "length");
        }
    }

    CompletionResponse response() {
        return response;
    }

    Optional<Connection> connection() {
        return response.connection();
    }

    /** Returns the number of output tokens at the end. */
    int outputTokens() {
        return extent.tokens();
    }

    int promptTokens() {
        return promptTokens;
    }

    String finishReason() {
        return extent.reason();
    }

    boolean isDone() {
        return generated == extent.tokens();
    }

    int generated() {
        return generated;
    }

    long arrivalNs() {
        return arrivalNs;
    }

    long firstNs() {
        return firstNs;
    }

    /** Returns the time of the latest token, or -1 before the first one. */
    long lastNs() {
        return lastNs;
    }

    /** Adds the next token, generated at a simulated time. */
    void addToken(long atNs) {
        firstNs = generated == 0 ? atNs : firstNs;
        lastNs = atNs;
        oldestUnsentNs = unsent == 0 ? atNs : oldestUnsentNs;
        unsent++;
        String word = word(number, generated);
        String text = word.substring(0, Math.min(word.length(), Math.max(0, extent.characters() - characters)));
        characters += word.length();
        generated++;
        if (connection().isPresent()) {
            if (response.request().stream()) {
                writeEvent(text);
            } else {
                whole.append(text);
            }
        }
        response.send(this, event);
    }

    private void writeEvent(String text) {
        event.reset();
        if (generated == 1 && chat) {
            event.writeBytes(response.streamHead());
            event.writeBytes(beforeText);
            event.writeBytes(bytes("\",\"role\":\"assistant")); // only the first chunk of a chat names the role
            event.writeBytes(afterText);
            event.writeBytes(bytes("null}]}\n\n"));
        }
        event.writeBytes(response.streamHead());
        event.writeBytes(beforeText);
        event.writeBytes(bytes(text));
        event.writeBytes(afterText);
        event.writeBytes(bytes((isDone() ? "\"" + extent.reason() + "\"" : "null") + "}]}\n\n"));
    }

    /** Returns the choice of a response without a stream. */
    JsonValue json() {
        JsonObjectBuilder choice = JsonValue.object().put("index", (long) index);
        if (chat) {
            JsonObjectBuilder message =
                    JsonValue.object().put("role", "assistant").put("content", whole.toString());
            choice.put("message", message.build());
        } else {
            choice.put("text", whole.toString());
        }
        return choice.put("logprobs", JsonValue.NULL)
                .put("finish_reason", extent.reason())
                .build();
    }

    /** Returns the number of tokens that have not been written to the socket. */
    int unsent() {
        return unsent;
    }

    /** Records that all tokens so far have been written to the socket. */
    void sent(long nowNs) {
        if (unsent > 0) {
            long delay = nowNs - oldestUnsentNs;
            firstTokenDelayNs = firstTokenDelayNs < 0 ? delay : firstTokenDelayNs;
            maxDelayNs = Math.max(maxDelayNs, delay);
            unsent = 0;
        }
    }

    RequestOutcome outcome() {
        Ending ending = response.isDisconnected() ? Ending.DISCONNECTED : isDone() ? Ending.DONE : Ending.UNFINISHED;
        return new RequestOutcome(
                number,
                arrivalNs,
                firstNs,
                lastNs,
                promptTokens,
                extent.tokens(),
                generated,
                ending,
                response.clientId(index),
                firstTokenDelayNs,
                maxDelayNs);
    }
}
