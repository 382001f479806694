package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;

/** Efficiency and minimum time of matrix products. */
public record ProductKernels(
        @Key("Share of the 16-bit peak that large products reach. | 0.70 | 0.000001..1") double product16,
        @Key("Rate of 16-bit products with 16-bit accumulation, relative to 32-bit accumulation. | 1 | 1..1000000")
                double halfSums,
        @Key("Share of the 8-bit peak that large products reach. | 0.55 | 0.000001..1") double product8,
        @Key("Share of the 8-bit peak that large products with block-scaled weights reach. | 0.45 | 0.000001..1")
                double productBlock,
        @Key("Share of the 4-bit peak that large products reach. | 0.40 | 0.000001..1") double product4,
        @Key("Share of the memory bandwidth that products with few rows reach. | 0.80 | 0.000001..1")
                double productBandwidth,
        @Key("Minimum time of a 16-bit product. | 2.5 | us | 0..1000000000") double productUs,
        @Key("Minimum time of a quantised product, including the quantisation of its input. | 6 | us | 0..1000000000")
                double quantisedProductUs) {}
