package dev.stagesim.predict;

import java.util.OptionalInt;

/**
 * Keys a predictor shall answer for; what is empty reaches as far as was measured.
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
