package dev.stagesim.measure;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import java.nio.file.Path;
import java.util.Optional;

/** A live server to measure with {@code real.source=endpoint}: the section {@code endpoint}. */
@FormerKeys("round_trip_every=round_trip_interval_s")
public record EndpointSettings(
        @Unwrapped EndpointServer server,
        @Key("Salt of synthetic prompts. null for a new salt in each run, so that the prefix cache of the "
                        + "server contains no prompt of an earlier run; the run records it. | null")
                @Access(Resource.NONE)
                Optional<String> promptSalt,
        @Key("Maximum number of concurrent requests; further requests wait in the client. | 2000 | " + "1..1000000000")
                int maxConcurrency,
        @Key("Sequential warm-up requests before the measurement. | 1 | 0..1000000000") int warmupRequests,
        @Key("File for the results of completed requests, one JSON object per line. An interrupted replay "
                        + "continues with the requests that are not in it. null for no file. | null")
                @Access(Resource.WRITTEN_FILE)
                Optional<Path> journal,
        @Key("Cancellation of requests by the client. | { kind = none }") CancelSettings cancel,
        @Key("Interval of requests for the model list during the replay. Their round-trip time is the latency "
                        + "of client, network and HTTP server. null for none. | 0.25 | s | 0.001..1000000000")
                Optional<Double> roundTripIntervalS,
        @Key("Whether requests disable the end-of-sequence token (ignore_eos). | true") boolean ignoreEos,
        @Unwrapped EndpointTimeouts timeouts,
        @Key("Maximum share of failed requests. If it is exceeded, the run is kept and the exit code is 3. "
                        + "null for an error only if all requests fail. | null | % | 0..100")
                Optional<Double> maxFailedPercent) {
    /** Server and access to it. */
    public record EndpointServer(
            @Key("Base URL with the version, for example http://127.0.0.1:8000/v1; required. | null")
                    @Access(Resource.NETWORK)
                    Optional<String> url,
            @Key("Interface: completions or chat completions. | completions") Api api,
            @Key("Name of the model in requests; null for the full name of the model card, or for the model of "
                            + "the server if it lists only one. | null")
                    Optional<String> model,
            @Key("Remote host that may be measured; must be the host of endpoint.url. null allows only this "
                            + "machine. | null")
                    @Access(Resource.NETWORK)
                    Optional<String> allowHost,
            @Key("Environment variable with the API key. The key is never written to a file. | null")
                    @Access(Resource.ENVIRONMENT)
                    Optional<String> apiKeyEnv) {}

    /** Timeouts of a request. */
    public record EndpointTimeouts(
            @Key("Timeout of a connection attempt. | 10 | s | 0.001..1000000000") double connectTimeout,
            @Key("Timeout between two events of a stream. | 120 | s | 0.001..1000000000") double stallTimeout,
            @Key("Timeout from sending a request to its last event. | 3600 | s | 0.001..1000000000")
                    double requestTimeout) {}

    /** Interfaces of OpenAI-style servers. */
    public enum Api {
        /** {@code /completions}. */
        COMPLETIONS,
        /** {@code /chat/completions}. */
        CHAT
    }
}
