package dev.stagesim.bench;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * A server that is measured and how it is spoken to.
 *
 * @param base address up to and including the version, for example {@code http://127.0.0.1:8000/v1}
 * @param chat true for chat completions, false for plain completions
 * @param model name of the model in requests
 * @param apiKey sent as bearer token; kept in memory only
 * @param connectTimeout longest wait for a connection
 * @param stallTimeout longest wait for the next event of a stream
 * @param requestTimeout longest time from sending to the last event
 * @param ignoreEos whether to ask the server to go on after an end-of-sequence token, as vLLM and SGLang understand it
 */
public record Endpoint(
        URI base,
        boolean chat,
        String model,
        Optional<String> apiKey,
        Duration connectTimeout,
        Duration stallTimeout,
        Duration requestTimeout,
        boolean ignoreEos) {
    /** The same server, asked for another of its models. */
    public Endpoint withModel(String other) {
        return new Endpoint(base, chat, other, apiKey, connectTimeout, stallTimeout, requestTimeout, ignoreEos);
    }

    /** Address of the requests. */
    URI target() {
        String text = base.toString();
        String slash = text.endsWith("/") ? "" : "/";
        return URI.create(text + slash + (chat ? "chat/completions" : "completions"));
    }

    /** Leaves the key out: this text may end up in messages. */
    @Override
    public String toString() {
        return target().toString();
    }
}
