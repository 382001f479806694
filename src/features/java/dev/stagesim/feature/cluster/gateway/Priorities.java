package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Variant;
import java.util.Comparator;

/** The greatest priority first. */
public final class Priorities {
    /** Its section. */
    @Variant("priority | The greatest priority first, equal ones as they came.")
    public record Settings() implements QueueOrderSettings {
        @Override
        public AdmissionQueue make(Clients clients) {
            return new PriorityOrderedQueue(order(clients));
        }
    }

    private Priorities() {}

    static Comparator<Integer> order(Clients clients) {
        Comparator<Integer> byPriority =
                Comparator.comparingInt(request -> -clients.of(request).priority());
        return byPriority.thenComparingDouble(clients::arrivedAt);
    }
}
