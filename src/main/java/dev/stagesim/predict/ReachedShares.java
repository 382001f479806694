package dev.stagesim.predict;

import dev.stagesim.model.HardwareCard;
import java.util.Optional;

/**
 * Shares of a card's peaks that kernels reach, and fixed costs; {@code specs/profiling.md} has their sources.
 *
 * @param compute share of the 16-bit peak of matrix products; empty for the card's measured share, else the usual one
 * @param attention share of the 16-bit peak of attention kernels
 * @param bandwidth share of the memory bandwidth
 * @param link share of link and network bandwidth
 * @param kernelMicros fixed time of a kernel
 * @param collectiveMicros fixed time of a collective
 * @param hopMicros time of a hop inside a node
 * @param networkHopMicros time of a hop between nodes
 */
public record ReachedShares(
        Optional<Double> compute,
        double attention,
        double bandwidth,
        double link,
        double kernelMicros,
        double collectiveMicros,
        double hopMicros,
        double networkHopMicros) {
    /** Median share of the cards for which a greatest measured matrix rate is known. */
    public static final double USUAL_COMPUTE = 0.80;

    private static final double TERA = 1e12;
    private static final double GIGA = 1e9;
    private static final double MICRO = 1e-6;
    private static final double BITS = 8;

    /** Share of the 16-bit peak that matrix products reach on a card that has one. */
    public double computeShare(HardwareCard card) {
        double peak = peakTflops(card);
        return compute.or(() -> card.mamfBf16Tflops().map(measured -> measured / peak))
                .orElse(USUAL_COMPUTE);
    }

    /** Rates when {@code devices} work together; beyond the scale-up domain they talk over the host's links. */
    public DeviceRates rates(HardwareCard card, int devices) {
        double peak = peakTflops(card) * TERA;
        return new DeviceRates(
                peak * computeShare(card),
                peak * attention,
                card.statedMemBwGbs() * GIGA * bandwidth,
                kernelMicros * MICRO,
                linkGbs(card, devices) * GIGA * link,
                card.nicGbpsPerAccelTyp().orElse(0.0) / BITS * GIGA * link,
                collectiveMicros * MICRO,
                hopMicros * MICRO,
                networkHopMicros * MICRO);
    }

    /** GB/s over which that many devices talk; 0 when the card names no link for it. */
    public static double linkGbs(HardwareCard card, int devices) {
        boolean scaleUp =
                card.scaleupUniGbs() > 0 && devices <= card.scaleupDomain().orElse(Integer.MAX_VALUE);
        return scaleUp ? card.scaleupUniGbs() : card.hostUniGbs().orElse(0.0);
    }

    private static double peakTflops(HardwareCard card) {
        return card.bf16OrFp16Tflops()
                .orElseThrow(() -> new IllegalArgumentException(card.name() + " has no 16-bit rate"));
    }
}
