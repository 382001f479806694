package dev.stagesim.config.bind;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A settings record with one key of every type. */
public record SampleSettings(
        @Key("The section with lengths. | fixed") Lengths lengths,
        @Key("What serves the model.") Server server,
        @Key("Numbers by name. | {} | 0..") Map<String, Double> weights,
        @Key("Devices. | []") List<Gpu> gpus,
        @Key("Where to start. | null") Optional<Path> dir,
        @Key("How to run. | best_effort") Mode mode) {
    /** Execution mode. */
    public enum Mode {
        BEST_EFFORT,
        STRICT
    }

    /** Lengths of requests. */
    public sealed interface Lengths permits Fixed, Zipf {}

    /** Equal lengths. */
    @Variant("fixed | All requests alike.")
    public record Fixed(@Key("Tokens of each. | 128 | tokens | 1..") int tokens) implements Lengths {}

    /** Lengths with a Zipf distribution. */
    @Variant("zipf | Zipf's law.")
    public record Zipf(
            @Key("Exponent. | 0.6 | >0..") double theta,
            @Key("Least tokens. | 1 | 1..") int min,
            @Key("Most tokens.") int max)
            implements Lengths {
        public Zipf {
            if (min > max) {
                throw new IllegalArgumentException("min " + min + " is greater than max " + max);
            }
        }
    }

    /** A server. */
    public record Server(
            @Key("Name.") String name,
            @Key("Requests per second. | 1.0 | requests/s | >0..") double qps,
            @Key("Seed. | 42") long seed,
            @Key("Whether to warm up. | true") boolean warmUp,
            @Key("Memory. | 1 GiB | bytes | 0..") long memory,
            @Key("Patience. | 250ms | 0s..") Duration timeout,
            @Key("Tags. | [a, b]") List<String> tags,
            @Key("Cap. | null | 1..64") Optional<Integer> cap) {}

    /** A device. */
    public record Gpu(@Key("Name.") String name, @Key("Count. | 1 | 1..8") int count) {}
}
