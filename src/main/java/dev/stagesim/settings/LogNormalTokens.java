package dev.stagesim.settings;

import dev.stagesim.model.Key;

/** A log-normal number of tokens, rounded and kept within bounds. */
public record LogNormalTokens(
        @Key(doc = "Median.", unit = "tokens", def = "256.0", min = "0", above = true) double median,
        @Key(doc = "Standard deviation of the natural logarithm.", def = "1.0", min = "0") double sigma,
        @Key(doc = "Least value; lower draws are lifted to it.", unit = "tokens", def = "1", min = "1") int min,
        @Key(doc = "Greatest value; higher draws are cut to it.", unit = "tokens", def = "8192", min = "1") int max) {}
