package dev.stagesim.settings;

import dev.stagesim.model.Key;
import java.util.Optional;

/** What a service that is simulated while requests come in adds to the predicted times: the section {@code simulation}. */
public record OnlineSettings(
        @Key(
                        doc =
                                "Longest sequence, prompt and output together; null for the model's context, at most 8192.",
                        unit = "tokens",
                        def = "null",
                        min = "1")
                Optional<Integer> maxTokens,
        @Key(doc = "Overheads added to the predicted operator times.") SimulationSettings.Overheads overheads) {}
