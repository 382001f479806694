package dev.stagesim.feature.mock;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The response to one completion request, with one or more choices. Writes the format of OpenAI's interface. */
final class CompletionResponse {
    private static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8);

    private final CompletionRequest request;
    private final Optional<Connection> connection;
    private final String clientId;
    private final String id;
    private final String model;
    private final long created;
    private final List<CompletionChoice> choices = new ArrayList<>();
    private final byte[] streamHead;
    private int openChoices;
    private boolean disconnected;

    /**
     * Creates a response without choices.
     *
     * @param number number of its first choice
     * @param clientId the client's id of the request; empty if absent
     * @param created Unix time in seconds
     */
    CompletionResponse(
            CompletionRequest request,
            long number,
            Optional<Connection> connection,
            String clientId,
            String model,
            long created) {
        this.request = request;
        this.connection = connection;
        this.clientId = clientId;
        this.id = (request.chat() ? "chatcmpl-" : "cmpl-") + number;
        this.model = model;
        this.created = created;
        this.streamHead = bytes("data: {\"id\":\"" + id + "\",\"object\":\"" + object(true) + "\",\"created\":"
                + created + ",\"model\":" + Json.quoted(model) + ",\"choices\":[{\"index\":");
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Adds a choice for the prompt with this index. */
    CompletionChoice add(int prompt, long number, long arrivalNs) {
        CompletionChoice choice = new CompletionChoice(
                this, choices.size(), request.promptTokens().get(prompt), number, arrivalNs);
        choices.add(choice);
        openChoices++;
        return choice;
    }

    CompletionRequest request() {
        return request;
    }

    List<CompletionChoice> choices() {
        return choices;
    }

    /** Returns the client's id of a choice. All choices of a response have different ids. */
    String clientId(int choice) {
        return clientId.isEmpty() || choice == 0 ? clientId : clientId + "-" + choice;
    }

    Optional<Connection> connection() {
        return disconnected ? Optional.empty() : connection;
    }

    boolean isDisconnected() {
        return disconnected;
    }

    /** Records that the client has closed the connection. */
    void disconnect() {
        disconnected = true;
    }

    /** Returns the start of each event, up to the index of its choice. */
    byte[] streamHead() {
        return streamHead;
    }

    /**
     * Sends the next token of a choice. The last token of the last choice ends the response.
     *
     * @param event the event of the token; unused without a stream
     */
    void send(CompletionChoice choice, ByteArrayOutputStream event) {
        openChoices -= choice.isDone() ? 1 : 0;
        Optional<Connection> client = connection();
        if (client.isPresent() && request.stream()) {
            if (openChoices == 0) {
                if (request.usage()) {
                    event.writeBytes(bytes("data: " + Json.compact(frame(true, List.of())) + "\n\n"));
                }
                event.writeBytes(DONE);
            }
            client.get().event(event.toByteArray(), event.size());
            if (openChoices == 0) {
                client.get().endStream();
            }
        } else if (client.isPresent() && openChoices == 0) {
            List<JsonValue> all = choices.stream().map(CompletionChoice::json).toList();
            client.get().respond(200, "application/json", Json.compact(frame(false, all)));
        }
    }

    private String object(boolean chunk) {
        return request.chat() ? (chunk ? "chat.completion.chunk" : "chat.completion") : "text_completion";
    }

    private JsonValue frame(boolean chunk, List<JsonValue> all) {
        long prompt =
                request.promptTokens().stream().mapToLong(Integer::longValue).sum();
        long output = choices.stream().mapToLong(CompletionChoice::generated).sum();
        JsonObjectBuilder usage = JsonValue.object()
                .put("prompt_tokens", prompt)
                .put("completion_tokens", output)
                .put("total_tokens", prompt + output);
        return JsonValue.object()
                .put("id", id)
                .put("object", object(chunk))
                .put("created", created)
                .put("model", model)
                .put("choices", JsonValue.of(all))
                .put("usage", usage.build())
                .build();
    }
}
