package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import java.util.Optional;

/** Memory of one device. */
public record DeviceMemory(
        @Key("Memory of one device; engines and training use visible_mem_gib if it is less."
                        + " | required | GB | 0.000001..10000000")
                double memGb,
        @Key("Memory that PyTorch reports for the device, without the part of error correction and the"
                        + " driver; null for mem_gb, which is also the maximum."
                        + " | null | GiB | 0.000001..10000000")
                Optional<Double> visibleMemGib,
        @Key("Kind of memory.") String memType,
        @Key("Peak memory bandwidth. | null | GB/s | 0.000001..1000000") Optional<Double> memBwGbs,
        @Key("Last-level on-chip memory. | null | MB | 0.000001..1000000000") Optional<Double> onchipMb,
        @Key("Kind of on-chip memory. | null") Optional<String> onchipKind) {}
