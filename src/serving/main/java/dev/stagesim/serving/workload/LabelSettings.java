package dev.stagesim.serving.workload;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.util.List;

/**
 * LoRA adapters and priorities of requests: the section {@code workload.labels}. Turns of a session and calls of a task share
 * them.
 */
public record LabelSettings(
        @Key("Number of LoRA adapters; 0 for none. | 0 | 0..100000") int adapters,
        @Key("Skew of the adapters' popularity: the weight of the i-th is i to the power of minus theta; 0 "
                        + "for a uniform distribution. | 1.0 | 0..100")
                @OnlyIf("adapters > 0 | no request has an adapter | set workload.labels.adapters")
                double theta,
        @Key("Share of the requests without an adapter. | 0 | 0..1")
                @OnlyIf("adapters > 0 | no request has an adapter | set workload.labels.adapters")
                double baseShare,
        @Key("Weights of the priorities 0, 1, ...; 0 is the most urgent. Empty for no priorities. | [] | "
                        + "0..1000000")
                List<Double> priorities) {
    /** No adapters and no priorities. */
    public static final LabelSettings NONE = new LabelSettings(0, 1, 0, List.of());

    public LabelSettings {
        priorities = List.copyOf(priorities);
        if (!priorities.isEmpty()
                && priorities.stream().mapToDouble(Double::doubleValue).sum() <= 0) {
            throw new IllegalArgumentException("no priority of workload.labels.priorities has a weight above 0");
        }
    }

    /** Returns true if requests have adapters or priorities. */
    public boolean isAny() {
        return adapters > 0 || !priorities.isEmpty();
    }
}
