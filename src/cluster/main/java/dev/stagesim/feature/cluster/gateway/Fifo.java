package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Variant;
import java.util.Comparator;

/** First in, first out. */
public final class Fifo {
    @Variant("fifo | First in, first out.")
    public record Settings() implements QueueOrderSettings {
        @Override
        public AdmissionQueue make(Clients clients) {
            return new PriorityOrderedQueue(Comparator.comparingDouble(clients::arrivedAt));
        }
    }

    private Fifo() {}
}
