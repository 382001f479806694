package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Variant;
import java.util.Comparator;

/** Highest priority first. */
public final class Priorities {
    @Variant("priority | Highest priority first, then in arrival order.")
    public record Settings() implements QueueOrderSettings {
        @Override
        public AdmissionQueue make(Clients clients) {
            return new PriorityOrderedQueue(order(clients));
        }
    }

    private Priorities() {}

    static Comparator<Integer> order(Clients clients) {
        Comparator<Integer> byPriority =
                Comparator.comparingInt(request -> -clients.settingsOf(request).priority());
        return byPriority.thenComparingDouble(clients::arrivedAt);
    }
}
