package dev.stagesim.predict;

import java.util.OptionalInt;

/**
 * Keys that a predictor must cover; an empty limit means the measured maximum.
 *
 * @param kvGranularity KV lengths are multiples of this
 */
public record Range(
        int kvGranularity,
        OptionalInt maxTokens,
        OptionalInt maxBatch,
        OptionalInt maxKvTokens,
        OptionalInt maxChunkTokens) {
    public static Range measured(int kvGranularity) {
        return new Range(
                kvGranularity, OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());
    }
}
