package dev.stagesim.model.hardware;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.Unwrapped;
import java.util.Optional;

/**
 * Efficiency and minimum time of collectives on a device's link: the section {@code hardware.link}.
 *
 * <p>The values belong to a kind of link; the configuration group {@code link} has one option for each.
 */
@FormerKeys(
        removed = {
            "devices=set ring_us, hop_us and share, which apply to any number of devices",
            "devices_us=set ring_us and hop_us",
            "devices_gbs=set share"
        })
public record LinkCard(
        @Unwrapped CustomAllReduce custom,
        @Unwrapped RingCollectives ring,
        @Key("Share of the network rate that large collectives reach. | 0.65 | 0.000001..1") double networkShare,
        @Key("Minimum time of an all-to-all. | 12 | us | 0..1000000000") double allToAllUs,
        @Key("Share of the link rate that an all-to-all reaches. | 0.5 | 0.000001..1") double allToAllShare,
        @Key("Minimum time of a transfer between nodes. | 10 | us | 0..1000000000") double nodeUs,
        @Key("Source of the values. | null") Optional<String> source) {

    /**
     * All-reduce kernels of engines. In one shot, each device reads the values of all others. In two shots, it sums a
     * part and reads the sums of the others.
     */
    public record CustomAllReduce(
            @Key("Minimum time of an engine's own all-reduce of two devices. | 4.5 | us | 0..1000000000")
                    double allReduceUs,
            @Key("Minimum time with the kernels of engines with fast_all_reduce; all_reduce_us if absent."
                            + " | null | us | 0..1000000000")
                    Optional<Double> fastAllReduceUs,
            @Key("Additional time for each further device. | 0.1 | us | 0..1000000000") double deviceUs,
            @Key("Share of the link rate in one shot; 0 if engines have no all-reduce for this link. | 0.55 | 0..1")
                    double oneShotShare,
            @Key("Additional time of the second shot. | 4 | us | 0..1000000000") double twoShotUs,
            @Key("Share of the link rate in two shots; 0 if there is no such kernel. | 0.6 | 0..1")
                    double twoShotShare) {}

    /** Collectives of the communication library, which pass parts from device to device. */
    public record RingCollectives(
            @Key("Minimum time of a collective. | 5 | us | 0..1000000000") double ringUs,
            @Key("Time of a step from device to device. | 1 | us | 0..1000000000") double hopUs,
            @Key("Time to fill the channels, for a transfer of 1 us; grows with the square root of the transfer time."
                            + " | 4 | us | 0..1000000000")
                    double rampUs,
            @Key("Share of the card's link rate that large collectives reach. | 0.7 | 0.000001..1") double share) {}
}
