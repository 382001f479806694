package dev.stagesim.feature.mock;

import dev.stagesim.feature.mock.RequestOutcome.Ending;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The response to one completion request. Converts simulated tokens to the bytes of OpenAI's interface. */
final class CompletionStream {
    private static final String[] WORDS = {
        " the", " of", " and", " to", " in", " for", " is", " on", " that", " by", " this", " with", " you", " it",
        " not", " or"
    };
    private static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8);

    private final CompletionRequest request;
    private final long number;
    private final long arrivalNs;
    private final Optional<Connection> connection;
    private final String clientId;
    private final String id;
    private final String model;
    private final long created;
    private final byte[] beforeText;
    private final byte[] afterText;
    private final StringBuilder whole = new StringBuilder();
    private final ByteArrayOutputStream event = new ByteArrayOutputStream(256);
    private boolean disconnected;
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

    CompletionStream(
            CompletionRequest request,
            long number,
            long arrivalNs,
            Optional<Connection> connection,
            String clientId,
            String model,
            long created) {
        this.request = request;
        this.number = number;
        this.arrivalNs = arrivalNs;
        this.connection = connection;
        this.clientId = clientId;
        this.id = (request.chat() ? "chatcmpl-" : "cmpl-") + number;
        this.model = model;
        this.created = created;
        String head = "data: {\"id\":\"" + id + "\",\"object\":\"" + object(true) + "\",\"created\":" + created
                + ",\"model\":" + Json.quoted(model) + ",\"choices\":[{\"index\":0,";
        this.beforeText = bytes(head + (request.chat() ? "\"delta\":{\"content\":\"" : "\"text\":\""));
        this.afterText = bytes((request.chat() ? "\"}" : "\"") + ",\"logprobs\":null,\"finish_reason\":");
    }

    /** Returns true if the filler text can contain {@code text}. Its words are always in the same order. */
    static boolean canContain(String text) {
        String words = String.join("", WORDS);
        return words.repeat(2 + text.length() / words.length()).contains(text);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String object(boolean chunk) {
        return request.chat() ? (chunk ? "chat.completion.chunk" : "chat.completion") : "text_completion";
    }

    Optional<Connection> connection() {
        return disconnected ? Optional.empty() : connection;
    }

    /** Records that the client has closed the connection. */
    void disconnect() {
        disconnected = true;
    }

    boolean isDone() {
        return generated == request.outputTokens();
    }

    /** Adds the next token, generated at a simulated time. */
    void addToken(long atNs) {
        firstNs = generated == 0 ? atNs : firstNs;
        lastNs = atNs;
        oldestUnsentNs = unsent == 0 ? atNs : oldestUnsentNs;
        unsent++;
        String word = WORDS[(int) ((number + generated) % WORDS.length)];
        generated++;
        connection().ifPresent(client -> {
            if (request.stream()) {
                stream(client, word);
            } else {
                whole.append(word);
                if (isDone()) {
                    client.respond(200, "application/json", wholeBody());
                }
            }
        });
    }

    private void stream(Connection client, String word) {
        event.reset();
        if (generated == 1 && request.chat()) {
            event.writeBytes(beforeText);
            event.writeBytes(bytes("\",\"role\":\"assistant")); // only the first chunk of a chat names the role
            event.writeBytes(afterText);
            event.writeBytes(bytes("null}]}\n\n"));
        }
        event.writeBytes(beforeText);
        event.writeBytes(bytes(word));
        event.writeBytes(afterText);
        event.writeBytes(bytes((isDone() ? "\"length\"" : "null") + "}]}\n\n"));
        if (isDone()) {
            if (request.usage()) {
                event.writeBytes(bytes("data: " + Json.compact(frame(true, JsonValue.of(List.of()))) + "\n\n"));
            }
            event.writeBytes(DONE);
        }
        client.event(event.toByteArray(), event.size());
        if (isDone()) {
            client.endStream();
        }
    }

    private JsonValue frame(boolean chunk, JsonValue choices) {
        return JsonValue.object()
                .put("id", id)
                .put("object", object(chunk))
                .put("created", created)
                .put("model", model)
                .put("choices", choices)
                .put(
                        "usage",
                        JsonValue.object()
                                .put("prompt_tokens", (long) request.promptTokens())
                                .put("completion_tokens", (long) generated)
                                .put("total_tokens", (long) request.promptTokens() + generated)
                                .build())
                .build();
    }

    private String wholeBody() {
        var choice = JsonValue.object().put("index", 0L);
        if (request.chat()) {
            choice.put(
                    "message",
                    JsonValue.object()
                            .put("role", "assistant")
                            .put("content", whole.toString())
                            .build());
        } else {
            choice.put("text", whole.toString());
        }
        choice.put("logprobs", JsonValue.NULL).put("finish_reason", "length");
        return Json.compact(frame(false, JsonValue.of(List.of(choice.build()))));
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
        Ending ending = disconnected ? Ending.DISCONNECTED : isDone() ? Ending.DONE : Ending.UNFINISHED;
        return new RequestOutcome(
                number,
                arrivalNs,
                firstNs,
                lastNs,
                request.promptTokens(),
                (int) request.outputTokens(),
                generated,
                ending,
                clientId,
                firstTokenDelayNs,
                maxDelayNs);
    }
}
