package dev.stagesim.serving.workload;

import dev.stagesim.model.Key;

/** A log-normal number of tokens, rounded and clamped. */
public record LogNormalTokens(
        @Key("Median. | 256.0 | tokens | 0.000001..1000000000") double median,
        @Key("Standard deviation of the natural logarithm. | 1.0 | 0..10") double sigma,
        @Key("Minimum; lower draws are set to it. | 1 | tokens | 1..1000000000") int min,
        @Key("Maximum; higher draws are set to it. | 8192 | tokens | 1..1000000000") int max) {}
