package dev.stagesim.feature.mock;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.nio.file.Path;
import java.util.Optional;

/** A server that answers at the speed of a simulated service: the section {@code server}. */
public record ServerSettings(
        @Key("Address it listens on; this machine alone unless another is named. | 127.0.0.1") @Access(Resource.LISTEN)
                String host,
        @Key("Port it listens on; 0 for any that is free. | 8000 | 0..65535") @Access(Resource.LISTEN) int port,
        @Key("Name of the model in requests; null for the full name of the model card. | null") Optional<String> model,
        @Key("Environment variable with an API key that requests must have; null for none. The key itself is"
                        + " never written anywhere. | null")
                @Access(Resource.ENVIRONMENT)
                Optional<String> apiKeyEnv,
        @Key("What counts the tokens of prompts: a built-in encoding, or a Hugging Face tokenizer.json; null for"
                        + " an estimate. | null")
                @Access(Resource.FILE)
                Optional<String> tokenizer,
        @Key(
                        "Output tokens of a request that does not say; OpenAI's completions have 16. | 16 | tokens | 1..1000000000")
                int defaultTokens,
        @Key("Maximum requests under way, waiting ones included; more are refused with 429. | 8192 | requests |"
                        + " 1..1000000")
                int maxRequests,
        @Key("Whether the request of a client that closes its connection is given up and its memory freed, as"
                        + " vLLM and SGLang do; else it runs to its end. | true")
                boolean abort,
        @Key("Spread of step times: each is multiplied by a factor drawn log-normally with this standard"
                        + " deviation and mean 1; 0 for none. | 0.0 | 0..1")
                double jitter,
        @Key("Seed of the jitter; null for 42. | null | 0..9223372036854775807")
                @OnlyIf("jitter > 0 | nothing is drawn without server.jitter | server.jitter=0.05")
                Optional<Long> seed,
        @Key("Stop after this many answered requests; null: run until interrupted. | null | 1..1000000000000000000")
                Optional<Long> stopAfterRequests,
        @Key("End after this time; null: run until interrupted. | null | s | 0.000000001..1000000000")
                Optional<Double> stopAfter,
        @Key("File that gets the address once the server listens; null for none. | null") @Access(Resource.WRITTEN_FILE)
                Optional<Path> readyFile) {}
