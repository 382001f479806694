package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Variant;
import java.util.Comparator;

/** Earliest deadline first. */
public final class Deadlines {
    @Variant("deadline | Earliest deadline first. The deadline is arrival + first_token_s of the tenant, or"
            + " arrival + timeout_s if first_token_s is null. Requests without a deadline come last, in"
            + " arrival order.")
    public record Settings() implements QueueOrderSettings {
        @Override
        public AdmissionQueue make(Clients clients) {
            Comparator<Integer> byDeadline = Comparator.comparingDouble(clients::deadline);
            return new PriorityOrderedQueue(byDeadline.thenComparingDouble(clients::arrivedAt));
        }
    }

    private Deadlines() {}
}
