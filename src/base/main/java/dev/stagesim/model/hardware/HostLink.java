package dev.stagesim.model.hardware;

import dev.stagesim.model.Access;
import dev.stagesim.model.Key;
import java.util.Optional;

/** Links to the host and the network. */
public record HostLink(
        @Key("Link to the host. | null") @Access(Access.Resource.NONE) Optional<String> hostLink,
        @Key("Host link bandwidth per direction. | null | GB/s | 0.000001..1000000") Optional<Double> hostUniGbs,
        @Key("Typical network bandwidth per device. | null | Gbit/s | 0.000001..1000000")
                Optional<Double> nicGbpsPerAccelTyp) {}
