package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Variant;
import java.util.Comparator;

/** The earliest deadline first. */
public final class Deadlines {
    /** Its section. */
    @Variant(
            "deadline | The earliest deadline first: arrival and first_token_s of the tenant, or timeout_s where that is not"
                    + " given; requests without one last, as they came.")
    public record Settings() implements QueueOrderSettings {
        @Override
        public AdmissionQueue make(Clients clients) {
            Comparator<Integer> byDeadline = Comparator.comparingDouble(clients::deadline);
            return new PriorityOrderedQueue(byDeadline.thenComparingDouble(clients::arrivedAt));
        }
    }

    private Deadlines() {}
}
