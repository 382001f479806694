package dev.stagesim.settings;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import java.util.List;

/**
 * What requests carry besides their tokens: the section {@code workload.labels}. Turns of a conversation and calls of a task
 * carry the same.
 */
public record LabelSettings(
        @Key("LoRA adapters that requests ask for; 0 for none. | 0 | 0..100000") int adapters,
        @Key("Skew of the adapters' popularity: the weight of the i-th is i to the power of minus theta; 0 for"
                        + " equally popular ones. | 1.0 | 0..100")
                @OnlyIf("adapters > 0 | no request asks for an adapter | set workload.labels.adapters")
                double theta,
        @Key("Share of the requests that ask for the base model alone. | 0 | 0..1")
                @OnlyIf("adapters > 0 | no request asks for an adapter | set workload.labels.adapters")
                double baseShare,
        @Key("Weights of the priorities 0, 1, ..., of which 0 is the most urgent; the requests have none when the list"
                        + " is empty. | [] | 0..1000000")
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

    /** Whether requests carry anything. */
    public boolean isAny() {
        return adapters > 0 || !priorities.isEmpty();
    }
}
