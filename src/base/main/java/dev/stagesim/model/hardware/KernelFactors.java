package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;

/** Factors of an engine on the device's kernels. */
public record KernelFactors(
        @Key("Element-wise kernels per layer. | 6 | 0..1000000") double elementwiseKernelsPerLayer,
        @Key("Factor on the time of the device's element-wise kernels. | 0.9 | 0.000001..1000000")
                double elementwiseTimeFactor,
        @Key("Factor on the time of all kernels of the device. | 1 | 0.000001..1000000") double kernels,
        @Key("Factor on the rate of matrix kernels. | 1 | 0.000001..1000000") double compute,
        @Unwrapped ProductFactors products,
        @Key(
                        "Bytes of a value between operators; products convert values that do not have 16 bits. | 2 | B | 0.000001..1000000")
                double activationBytes,
        @Unwrapped AttentionFactors attention,
        @Key("Share of an all-reduce that is not hidden. | 1 | 0..1000000") double allReduce,
        @Key(
                        "Whether the minimum time of an all-reduce is hardware.link.fast_all_reduce_us instead of all_reduce_us. | false")
                boolean fastAllReduce,
        @Key("Library with the kernels of experts. | flash_infer") ExpertLibrary expertLibrary,
        @Key("Bandwidth efficiency of kernels with stacked memory (HBM), relative to other memory. | 1 | 0.000001..1")
                double stackedMemory) {
    /** Kernels of products that differ from those of the device's libraries. */
    public record ProductFactors(
            @Key("Whether 16-bit products accumulate in 16 bits, which is faster on some devices. | false")
                    boolean halfSums,
            @Key("Maximum rows of products that run without matrix units on stored weights; larger products"
                            + " first unpack quantised weights to 16 bits. | 0 | tokens | 0..1000000")
                    int vectorRows,
            @Key("Factor on the rate of products with 8-bit weights that have a scale per block."
                            + " | 1 | 0.000001..1000000")
                    double blockProducts) {}

    /** Kernels of attention that move more values than each key and value once. */
    public record AttentionFactors(
            @Key("Bytes that prefill attention moves per query, key and head if scores are kept in memory"
                            + " and no pair is skipped; 0 if it is one kernel. | 0 | B | 0..1000000000")
                    double scoreBytes,
            @Key("Whether decode attention reads the cache once per query head instead of once per key-value head;"
                            + " the L2 cache serves the further reads. | false")
                    boolean headwiseCacheReads) {}
}
