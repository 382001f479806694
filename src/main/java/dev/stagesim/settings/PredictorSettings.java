package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.Optional;

/** How operator times follow from a bundle's rows: the section {@code predictor}. */
public sealed interface PredictorSettings {
    /** Range of keys the predictor answers for. */
    Range range();

    /** Piecewise linear through the medians of the measured points. */
    @Variant(value = "interpolation", doc = "Piecewise linear through the medians of the measured points.")
    record Interpolation(
            @Key(doc = "Range of keys to answer for.") Range range,
            @Key(doc = "What happens beyond the measured points.", def = "none") Extrapolation extrapolation,
            @Key(
                            doc =
                                    "A point that differs from the median of its five neighbours by more than this share is"
                                            + " left out; null keeps every point.",
                            def = "0.2",
                            min = "0",
                            above = true)
                    Optional<Double> outlierThreshold)
            implements PredictorSettings {}

    /** What happens beyond the greatest measured size. */
    enum Extrapolation {
        /** Asking is an error. */
        NONE,
        /** The slope over the upper half of the measured range goes on. */
        LINEAR
    }

    /** Range of keys; what is null reaches as far as the bundle was measured. */
    record Range(
            @Key(doc = "KV-cache lengths are rounded up to a multiple of this.", unit = "tokens", def = "64", min = "1")
                    int kvGranularity,
            @Key(doc = "Greatest token count of a batch.", unit = "tokens", def = "null", min = "1")
                    Optional<Integer> maxTokens,
            @Key(doc = "Greatest number of requests in a batch.", unit = "requests", def = "null", min = "1")
                    Optional<Integer> maxBatchSize,
            @Key(doc = "Greatest KV-cache length.", unit = "tokens", def = "null", min = "1")
                    Optional<Integer> maxKvTokens,
            @Key(doc = "Greatest prefill chunk.", unit = "tokens", def = "null", min = "1")
                    Optional<Integer> maxChunkTokens) {}
}
