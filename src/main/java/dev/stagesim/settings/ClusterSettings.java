package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.Optional;

/** How many devices serve the model and how they share it: the section {@code cluster}. */
public record ClusterSettings(
        @Key(doc = "Copies of the model.", unit = "replicas", def = "1", min = "1", max = "100000") int replicas,
        @Key(doc = "Devices that share each layer.", unit = "devices", def = "1", min = "1", max = "1024")
                int tensorParallelSize,
        @Key(doc = "Groups of devices that share the layers.", unit = "stages", def = "1", min = "1", max = "256")
                int numPipelineStages,
        @Key(doc = "Share of device memory that neither weights nor KV cache use.", def = "0.1", min = "0", max = "1")
                double memoryMarginFraction,
        @Key(
                        doc =
                                "Memory of one device; null for the hardware card's, whose GB are taken as GiB, as vendors"
                                        + " mean them.",
                        unit = "GiB",
                        def = "null",
                        min = "0",
                        above = true)
                Optional<Double> memoryGib,
        @Key(doc = "How requests are spread over replicas.", def = "round_robin") GlobalScheduler globalScheduler,
        @Key(doc = "Seed of the random global scheduler; null for 42.", def = "null", min = "0") Optional<Long> seed) {
    /** How requests are spread over replicas. */
    public enum GlobalScheduler {
        /** Replicas in turn. */
        ROUND_ROBIN,
        /** The replica with the fewest outstanding requests. */
        LOR,
        /** A replica at random. */
        RANDOM
    }
}
