package dev.stagesim.config.bind;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A settings record with one of everything. */
public record SampleSettings(
        @Key(doc = "The section with lengths.", def = "fixed") Lengths lengths,
        @Key(doc = "What serves the model.") Server server,
        @Key(doc = "Numbers by name.", def = "{}", min = "0") Map<String, Double> weights,
        @Key(doc = "Devices.", def = "[]") List<Gpu> gpus,
        @Key(doc = "Where to start.", def = "null") Optional<Path> dir,
        @Key(doc = "How to run.", def = "best_effort") Mode mode) {
    /** How to run. */
    public enum Mode {
        BEST_EFFORT,
        STRICT
    }

    /** Lengths of requests. */
    public sealed interface Lengths permits Fixed, Zipf {}

    /** All alike. */
    @Variant(value = "fixed", doc = "All requests alike.")
    public record Fixed(@Key(doc = "Tokens of each.", def = "128", min = "1", unit = "tokens") int tokens)
            implements Lengths {}

    /** Zipf's law. */
    @Variant(value = "zipf", doc = "Zipf's law.")
    public record Zipf(
            @Key(doc = "Exponent.", def = "0.6", min = "0", above = true) double theta,
            @Key(doc = "Least tokens.", def = "1", min = "1") int min,
            @Key(doc = "Most tokens.") int max)
            implements Lengths {
        public Zipf {
            if (min > max) {
                throw new IllegalArgumentException("min " + min + " is greater than max " + max);
            }
        }
    }

    /** A server. */
    public record Server(
            @Key(doc = "Name.") String name,
            @Key(doc = "Requests per second.", def = "1.0", min = "0", above = true, unit = "requests/s") double qps,
            @Key(doc = "Seed.", def = "42") long seed,
            @Key(doc = "Whether to warm up.", def = "true") boolean warmUp,
            @Key(doc = "Memory.", def = "1 GiB", min = "0", unit = "bytes") long memory,
            @Key(doc = "Patience.", def = "250ms", min = "0s") Duration timeout,
            @Key(doc = "Tags.", def = "[a, b]") List<String> tags,
            @Key(doc = "Cap.", min = "1", max = "64") Optional<Integer> cap) {}

    /** A device. */
    public record Gpu(
            @Key(doc = "Name.") String name, @Key(doc = "Count.", def = "1", min = "1", max = "8") int count) {}
}
