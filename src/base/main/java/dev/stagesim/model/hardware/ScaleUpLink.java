package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import java.util.Optional;

/** Link between the devices of a scale-up domain. */
public record ScaleUpLink(
        @Key("Link between the devices of a scale-up domain. | none") String scaleupName,
        @Key("Scale-up bandwidth per device and direction; 0 without a link. | 0 | GB/s | 0..1000000")
                double scaleupUniGbs,
        @Key("Devices in a scale-up domain. | null | devices | 1..1000000") Optional<Integer> scaleupDomain,
        @Key("Topology of the domain if its size does not imply it. | null") Optional<String> scaleupTopology) {}
