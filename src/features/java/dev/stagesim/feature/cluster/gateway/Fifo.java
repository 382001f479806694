package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Variant;
import java.util.Comparator;

/** As they came. */
public final class Fifo {
    /** Its section. */
    @Variant("fifo | As they came.")
    public record Settings() implements QueueOrderSettings {
        @Override
        public AdmissionQueue make(Clients clients) {
            return new PriorityOrderedQueue(Comparator.comparingDouble(clients::arrivedAt));
        }
    }

    private Fifo() {}
}
