package dev.stagesim.feature.mock;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Unwrapped;
import java.nio.file.Path;
import java.util.Optional;

/** Options of the server of {@code serve_mock}: the section {@code server}. */
public record ServerSettings(
        @Unwrapped ListenAddress address,
        @Key("Name of the model in requests; null for the name of the model card. | null") Optional<String> model,
        @Key("Environment variable with the API key that requests must contain; null for none. The key itself is"
                        + " never stored. | null")
                @Access(Resource.ENVIRONMENT)
                Optional<String> apiKeyEnv,
        @Key("Tokenizer that counts prompt tokens: a built-in encoding, or a Hugging Face tokenizer.json; null for"
                        + " an estimate. | null")
                @Access(Resource.FILE)
                Optional<String> tokenizer,
        @Key("Output tokens of a request without max_tokens. | 16 | tokens | 1..1000000000") int defaultTokens,
        @Key(
                        "Maximum number of running and waiting requests; further ones are rejected with status 429. | 8192 | requests |"
                                + " 1..1000000")
                int maxRequests,
        @Key("Whether the request of a client that disconnects is aborted, as in vLLM and SGLang; otherwise it"
                        + " runs to its end. | true")
                boolean abort,
        @Key("Standard deviation of the log-normal factor, with mean 1, of each step time; 0 for none. | 0.0 |"
                        + " 0..1")
                double jitter,
        @Key("Seed of the jitter; null for 42. | null | 0..9223372036854775807")
                @OnlyIf("jitter > 0 | nothing is random without server.jitter | server.jitter=0.05")
                Optional<Long> seed,
        @Unwrapped StopConditions stop,
        @Key("File to which the address is written once the server listens; null for none. | null")
                @Access(Resource.WRITTEN_FILE)
                Optional<Path> readyFile) {
    /** Address to listen on. */
    public record ListenAddress(
            @Key("Address to listen on; by default reachable only from this machine. | 127.0.0.1")
                    @Access(Resource.LISTEN)
                    String host,
            @Key("Port to listen on; 0 for any free port. | 8000 | 0..65535") @Access(Resource.LISTEN) int port) {}

    /** Conditions that end the server. */
    public record StopConditions(
            @Key("Stop after this number of requests; null: run until interrupted. | null | 1..1000000000000000000")
                    Optional<Long> stopAfterRequests,
            @Key("Stop after this time; null: run until interrupted. | null | s | 0.000000001..1000000000")
                    Optional<Double> stopAfter) {}
}
