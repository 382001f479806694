package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.Optional;

/** What a service that is simulated while requests come in adds to the predicted times: the section {@code simulation}. */
public record OnlineSettings(
        @Key("Longest sequence, prompt and output together; null for the model's context, at most 8192. | null |"
                        + " tokens | 1..1000000000")
                Optional<Integer> maxTokens,
        @Key("Overheads added to the predicted operator times.") SimulationSettings.Overheads overheads) {}
