package dev.stagesim.feature.mock;

import dev.stagesim.feature.mock.Served.Ending;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The answer to one completion request: tokens in as the simulation gives them, bytes of OpenAI's interface out. */
final class Answer {
    private static final String[] WORDS = {
        " the", " of", " and", " to", " in", " for", " is", " on", " that", " by", " this", " with", " you", " it",
        " not", " or"
    };
    private static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8);

    private final Ask ask;
    private final long number;
    private final long arrivalNs;
    private final Optional<Connection> connection;
    private final String clientId;
    private final String id;
    private final String model;
    private final long created;
    private final byte[] before;
    private final byte[] after;
    private final StringBuilder whole = new StringBuilder();
    private final ByteArrayOutputStream event = new ByteArrayOutputStream(256);
    private boolean gone;
    private int given;
    private long firstNs = -1;
    private long lastNs = -1;
    private int unsent;
    private long oldestUnsentNs;
    private long lateFirstNs = -1;
    private long lateMostNs = -1;

    /** Place of its request in the simulated service. */
    int place;

    /** Whether the simulated service has been told that the client has gone. */
    boolean withdrawn;

    Answer(
            Ask ask,
            long number,
            long arrivalNs,
            Optional<Connection> connection,
            String clientId,
            String model,
            long created) {
        this.ask = ask;
        this.number = number;
        this.arrivalNs = arrivalNs;
        this.connection = connection;
        this.clientId = clientId;
        this.id = (ask.chat() ? "chatcmpl-" : "cmpl-") + number;
        this.model = model;
        this.created = created;
        String head = "data: {\"id\":\"" + id + "\",\"object\":\"" + object(true) + "\",\"created\":" + created
                + ",\"model\":" + Json.quoted(model) + ",\"choices\":[{\"index\":0,";
        this.before = bytes(head + (ask.chat() ? "\"delta\":{\"content\":\"" : "\"text\":\""));
        this.after = bytes((ask.chat() ? "\"}" : "\"") + ",\"logprobs\":null,\"finish_reason\":");
    }

    /** Returns true if answers can contain a text: their words are always in the same order. */
    static boolean canContain(String text) {
        String words = String.join("", WORDS);
        return words.repeat(2 + text.length() / words.length()).contains(text);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String object(boolean chunk) {
        return ask.chat() ? (chunk ? "chat.completion.chunk" : "chat.completion") : "text_completion";
    }

    Optional<Connection> connection() {
        return gone ? Optional.empty() : connection;
    }

    /** The client has closed the connection. */
    void leave() {
        gone = true;
    }

    boolean isDone() {
        return given == ask.outputTokens();
    }

    /** The simulated service gave a token at a time. */
    void token(long atNs) {
        firstNs = given == 0 ? atNs : firstNs;
        lastNs = atNs;
        oldestUnsentNs = unsent == 0 ? atNs : oldestUnsentNs;
        unsent++;
        String word = WORDS[(int) ((number + given) % WORDS.length)];
        given++;
        connection().ifPresent(client -> {
            if (ask.stream()) {
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
        if (given == 1 && ask.chat()) {
            event.writeBytes(before);
            // the first chunk of a chat names the role
            String role = "\",\"role\":\"assistant";
            event.writeBytes(bytes(role));
            event.writeBytes(after);
            event.writeBytes(bytes("null}]}\n\n"));
        }
        event.writeBytes(before);
        event.writeBytes(bytes(word));
        event.writeBytes(after);
        event.writeBytes(bytes((isDone() ? "\"length\"" : "null") + "}]}\n\n"));
        if (isDone()) {
            if (ask.usage()) {
                event.writeBytes(
                        bytes("data: " + Json.compact(frame(true, JsonValue.of(java.util.List.of()))) + "\n\n"));
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
                                .put("prompt_tokens", (long) ask.promptTokens())
                                .put("completion_tokens", (long) given)
                                .put("total_tokens", (long) ask.promptTokens() + given)
                                .build())
                .build();
    }

    private String wholeBody() {
        var choice = JsonValue.object().put("index", 0L);
        if (ask.chat()) {
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
        return Json.compact(frame(false, JsonValue.of(java.util.List.of(choice.build()))));
    }

    /** Tokens that have not been handed to the system yet. */
    int unsent() {
        return unsent;
    }

    /** What it has given has been handed to the system at a time. */
    void sent(long nowNs) {
        if (unsent > 0) {
            long late = nowNs - oldestUnsentNs;
            lateFirstNs = lateFirstNs < 0 ? late : lateFirstNs;
            lateMostNs = Math.max(lateMostNs, late);
            unsent = 0;
        }
    }

    /** Its state so far. */
    Served served() {
        Ending ending = gone ? Ending.CLIENT_GONE : isDone() ? Ending.DONE : Ending.UNFINISHED;
        return new Served(
                number,
                arrivalNs,
                firstNs,
                lastNs,
                ask.promptTokens(),
                ask.outputTokens(),
                given,
                ending,
                clientId,
                lateFirstNs,
                lateMostNs);
    }
}
