package dev.stagesim.model.hardware;

import dev.stagesim.model.Key;
import dev.stagesim.model.card.Confidence;
import java.util.Optional;

/** Sources of the values. */
public record HardwareOrigin(
        @Key("Quality of the sources of the values.") Confidence confidence,
        @Key("Source of the values.") String source,
        @Key("Notes for users of the card. | null") Optional<String> notes) {}
