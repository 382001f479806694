package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import dev.stagesim.model.card.Precision;
import java.util.Optional;

/** Efficiency and minimum time of the experts of a layer. */
public record ExpertKernels(
        @Key(
                        "Minimum time of the experts of a layer: routing, sorting, two grouped products. | 31 | us | 0..1000000000")
                double expertsUs,
        @Key("Minimum time of the experts of a layer with block-scaled weights. | 30 | us | 0..1000000000")
                double expertsBlockUs,
        @Key("Minimum time of experts with 4-bit weights that are unpacked to 16 bits. | 35 | us | 0..1000000000")
                double experts4Us,
        @Key("Minimum time of experts with NVFP4 weights; experts_us if absent. | null | us | 0..1000000000")
                Optional<Double> expertsNvfp4Us,
        @Key("Share of the memory bandwidth that reading experts reaches. | 0.80 | 0.000001..1")
                double expertsBandwidth,
        @Key("Share of the memory bandwidth that reading 4-bit experts to unpack them reaches. | 0.60 | 0.000001..1")
                double experts4Bandwidth,
        @Key("Share of the 16-bit peak that experts reach. | 0.40 | 0.000001..1") double experts16,
        @Key("Share of the 8-bit peak that experts reach. | 0.40 | 0.000001..1") double experts8,
        @Key("Share of the 8-bit peak that experts with block-scaled weights reach. | 0.25 | 0.000001..1")
                double expertsBlock,
        @Key("Share of the 4-bit peak that experts reach. | 0.30 | 0.000001..1") double experts4,
        @Key("Share of the 4-bit peak that MXFP4 experts with 8-bit activations reach. | 0.25 | 0.000001..1")
                double expertsMxfp4,
        @Key("Share of the 16-bit peak that experts with unpacked 4-bit weights reach. | 0.27 | 0.000001..1")
                double expertsUnpacked4) {
    /** Returns the minimum time for a format, which may be unpacked to 16 bits. */
    public double minimumUs(Precision weights, boolean isUnpacked) {
        return switch (weights) {
            case FP8_BLOCK -> expertsBlockUs;
            case NVFP4 -> isUnpacked ? experts4Us : expertsNvfp4Us.orElse(expertsUs);
            default -> isUnpacked ? experts4Us : expertsUs;
        };
    }
}
