package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import dev.stagesim.model.card.CardRule;
import java.util.List;
import java.util.Optional;

/**
 * Efficiency and minimum time of collectives on a device's link: the section {@code hardware.link}.
 *
 * <p>The values belong to a kind of link; the configuration group {@code link} has one option for each. Links with a
 * rate that depends on the number of devices have a row per number of devices; others have a share of the card's rate.
 */
public record LinkCard(
        @Key("Minimum time of an all-reduce of two devices. | 4.5 | us | 0..1000000000") double allReduceUs,
        @Key("Additional time for each further device. | 0.4 | us | 0..1000000000") double deviceUs,
        @Key("Share of the card's link rate that large collectives reach. | 0.65 | 0.000001..1") double share,
        @Key(
                        "Device counts with measured times, ascending; empty to use all_reduce_us, device_us and share. | [] | 2..1000000000")
                List<Integer> devices,
        @Key("Minimum time of an all-reduce for each device count. | [] | us | 0..1000000000") List<Double> devicesUs,
        @Key("Rate of large collectives for each device count. | [] | GB/s | 0.000001..1000000000")
                List<Double> devicesGbs,
        @Key("Minimum time of an all-to-all. | 12 | us | 0..1000000000") double allToAllUs,
        @Key("Share of the link rate that an all-to-all reaches. | 0.5 | 0.000001..1") double allToAllShare,
        @Key("Minimum time of a transfer between nodes. | 10 | us | 0..1000000000") double nodeUs,
        @Key("Source of the values. | null") Optional<String> source) {
    /**
     * Checks that the rows have the same number of columns.
     *
     * @throws IllegalArgumentException if they do not; the binder turns it into a problem with the location of the
     *     value
     */
    public LinkCard {
        if (devicesUs.size() != devices.size() || devicesGbs.size() != devices.size()) {
            throw new IllegalArgumentException("devices, devices_us and devices_gbs need equally many values, not "
                    + devices.size() + ", " + devicesUs.size() + " and " + devicesGbs.size());
        }
        for (int i = 1; i < devices.size(); i++) {
            CardRule.require(devices.get(i) > devices.get(i - 1), "devices " + devices + " are not in ascending order");
        }
    }
}
