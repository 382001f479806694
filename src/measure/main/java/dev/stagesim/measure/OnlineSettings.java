package dev.stagesim.measure;

import dev.stagesim.model.Key;
import dev.stagesim.serving.config.SimulationSettings;
import java.util.Optional;

/** Overheads and limits of a service that is simulated online, while requests arrive: the section {@code simulation}. */
public record OnlineSettings(
        @Key("Maximum prompt plus output tokens of a request; null for the minimum of the model's context and "
                        + "8192. | null | tokens | 1..1000000000")
                Optional<Integer> maxTokens,
        @Key("Overheads on top of predicted operator times.") SimulationSettings.Overheads overheads) {}
