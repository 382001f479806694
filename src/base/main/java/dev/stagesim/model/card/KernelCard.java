package dev.stagesim.model.card;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import java.util.Optional;

/**
 * Efficiency and minimum time of a device's kernels: the section {@code hardware.kernels}.
 *
 * <p>The values belong to an architecture; the configuration group {@code kernels} holds one option for each.
 */
@FormerKeys({"small_us=elementwise_us", "small_bandwidth=elementwise_bandwidth"})
public record KernelCard(
        @Key("Multiprocessors (compute units), each of which runs one tile of a product. | 100 | 1..1000000")
                int multiprocessors,
        @Key("Share of the 16-bit peak that large products reach. | 0.70 | 0.000001..1") double product16,
        @Key("Rate of 16-bit products with 16-bit accumulation, relative to 32-bit accumulation. | 1 | 1..1000000")
                double halfSums,
        @Key("Share of the 8-bit peak that large products reach. | 0.55 | 0.000001..1") double product8,
        @Key("Share of the 4-bit peak that large products reach. | 0.40 | 0.000001..1") double product4,
        @Key("Share of the memory bandwidth that products with few rows reach. | 0.80 | 0.000001..1")
                double productBandwidth,
        @Key("Minimum time of a 16-bit product. | 2.5 | us | 0..1000000000") double productUs,
        @Key("Minimum time of a quantised product, including the quantisation of its input. | 6 | us | 0..1000000000")
                double quantisedProductUs,
        @Key("Share of the memory bandwidth that decode attention reaches. | 0.75 | 0.000001..1")
                double attentionBandwidth,
        @Key("Share of the memory bandwidth that decode attention with an 8-bit cache reaches. | 0.70 | 0.000001..1")
                double attention8Bandwidth,
        @Key("Share of the 16-bit peak that prefill attention reaches. | 0.50 | 0.000001..1") double attentionCompute,
        @Key("Minimum time of attention in a layer. | 9 | us | 0..1000000000") double attentionUs,
        @Key(
                        "Minimum time of the experts of a layer: routing, sorting, two grouped products. | 31 | us | 0..1000000000")
                double expertsUs,
        @Key("Minimum time of the experts of a layer with 4-bit weights. | 35 | us | 0..1000000000") double experts4Us,
        @Key("Share of the memory bandwidth that reading experts reaches. | 0.74 | 0.000001..1")
                double expertsBandwidth,
        @Key("Share of the memory bandwidth that reading 4-bit experts reaches. | 0.60 | 0.000001..1")
                double experts4Bandwidth,
        @Key("Share of the 16-bit peak that experts reach. | 0.40 | 0.000001..1") double experts16,
        @Key("Share of the 8-bit peak that experts reach. | 0.30 | 0.000001..1") double experts8,
        @Key("Share of the 4-bit peak that experts reach. | 0.25 | 0.000001..1") double experts4,
        @Key("Minimum time of an element-wise kernel. | 2.5 | us | 0..1000000000") double elementwiseUs,
        @Key("Share of the memory bandwidth that element-wise kernels reach. | 0.70 | 0.000001..1")
                double elementwiseBandwidth,
        @Key("Source of the values. | null") Optional<String> source) {}
