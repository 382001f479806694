package dev.stagesim.settings;

import dev.stagesim.model.Access;
import dev.stagesim.model.Access.Resource;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import java.nio.file.Path;
import java.util.Optional;

/** A server that is measured live: the section {@code endpoint}, read with {@code real.source=endpoint}. */
@FormerKeys("round_trip_every=round_trip_interval_s")
public record EndpointSettings(
        @Key("Address up to and including the version, for example http://127.0.0.1:8000/v1; required. | null")
                @Access(Resource.NETWORK)
                Optional<String> url,
        @Key("Which interface is spoken: plain completions, or chat completions. | completions") Api api,
        @Key(
                        "Name of the model in requests; null for the full name of the model card, or for the only model that the server"
                                + " lists. | null")
                Optional<String> model,
        @Key("Host that may be measured besides this machine; must be that of the url. | null")
                @Access(Resource.NETWORK)
                Optional<String> allowHost,
        @Key("Environment variable that holds the API key; the key itself is never written anywhere. | null")
                @Access(Resource.ENVIRONMENT)
                Optional<String> apiKeyEnv,
        @Key(
                        "Salt of made-up prompts. Null for a new one in each run, which the run records, so that the server finds no"
                                + " prompt of an earlier run in its prefix cache. | null")
                @Access(Resource.NONE)
                Optional<String> promptSalt,
        @Key("Maximum requests under way at a time; the others wait in the client. | 2000 | 1..1000000000")
                int maxConcurrency,
        @Key("Requests sent one after the other before the measurement, and not counted. | 1 | 0..1000000000")
                int warmupRequests,
        @Key("File that gets each request's outcome as it ends, one JSON object a line: a replay that was"
                        + " interrupted goes on with those that are not in it; null for none. | null")
                @Access(Resource.WRITTEN_FILE)
                Optional<Path> journal,
        @Key("Which requests the client gives up, and when. | { kind = none }") CancelSettings cancel,
        @Key(
                        "How often a request for the list of models is timed during the replay, to tell what client, network"
                                + " and the server's front add to every latency; null for never. | 0.25 | s | 0.001..1000000000")
                Optional<Double> roundTripIntervalS,
        @Key("Whether the server is asked to continue after an end-of-sequence token. | true") boolean ignoreEos,
        @Key("Longest wait for a connection. | 10 | s | 0.001..1000000000") double connectTimeout,
        @Key("Longest wait for the next event of a stream. | 120 | s | 0.001..1000000000") double stallTimeout,
        @Key("Longest time from sending a request to its last event. | 3600 | s | 0.001..1000000000")
                double requestTimeout,
        @Key(
                        "Maximum share of requests that may fail, of all that were sent; when more do, the run is kept and the exit code"
                                + " is 3. Null: only a measurement of which all fail is refused. | null | % | 0..100")
                Optional<Double> maxFailedPercent) {
    /** Interfaces of OpenAI-style servers. */
    public enum Api {
        /** {@code /completions}. */
        COMPLETIONS,
        /** {@code /chat/completions}. */
        CHAT
    }
}
