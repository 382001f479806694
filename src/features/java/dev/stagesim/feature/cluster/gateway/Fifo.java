package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Variant;
import java.util.Comparator;

/** As they came. */
public final class Fifo {
    /** Its section. */
    @Variant("fifo | As they came.")
    public record Settings() implements LineSettings {
        @Override
        public Line make(Clients clients) {
            return new SortedLine(Comparator.comparingDouble(clients::arrivedAt));
        }
    }

    private Fifo() {}
}
