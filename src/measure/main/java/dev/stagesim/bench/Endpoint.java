package dev.stagesim.bench;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * A measured server and the options of its requests.
 *
 * @param base address up to and including the version, for example {@code http://127.0.0.1:8000/v1}
 * @param chat true for chat completions, false for plain completions
 * @param model name of the model in requests
 * @param apiKey sent as bearer token; kept in memory only
 * @param connectTimeout timeout for a connection
 * @param stallTimeout timeout for the next event of a stream
 * @param requestTimeout timeout from sending to the last event
 * @param ignoreEos true to continue after an end-of-sequence token; an extension of vLLM and SGLang
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
    /** Returns a copy with another model. */
    public Endpoint withModel(String other) {
        return new Endpoint(base, chat, other, apiKey, connectTimeout, stallTimeout, requestTimeout, ignoreEos);
    }

    /** Returns the address of the requests. */
    URI target() {
        String text = base.toString();
        String slash = text.endsWith("/") ? "" : "/";
        return URI.create(text + slash + (chat ? "chat/completions" : "completions"));
    }

    /** Omits the key, because this text can appear in messages. */
    @Override
    public String toString() {
        return target().toString();
    }
}
