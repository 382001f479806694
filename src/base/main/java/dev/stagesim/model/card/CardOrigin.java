package dev.stagesim.model.card;

import dev.stagesim.model.Access;
import dev.stagesim.model.Key;
import java.util.List;
import java.util.Optional;

/** Values and sources of the publisher, and what the card leaves out. */
public record CardOrigin(
        @Key("Parameters that the publisher states, or the number in the name. | null | 1e9 | 0.000001..1000000000")
                Optional<Double> publishedParamsB,
        @Key("Parameters computed from the dimensions at import. | null | 1e9 | 0..1000000000")
                Optional<Double> computedParamsB,
        @Key("Parameters of towers for images, video or sound, which the card does not include. | null |"
                        + " 1e9 | 0..1000000000")
                Optional<Double> towerParamsB,
        @Key("Quality of the sources of the values.") Confidence confidence,
        @Key("Source of the values.") String source,
        @Key("Notes for users of the card. | null") Optional<String> notes,
        @Key("Parts of the model that the card does not describe; every run that uses the card warns about them. | []")
                List<String> unmodelled,
        @Key("config.json of the model as Hugging Face publishes it, from the working directory: it defines"
                        + " the card, and other keys override single values. | null")
                @Access(Access.Resource.FILE)
                Optional<String> hfConfig) {
    public CardOrigin {
        unmodelled = List.copyOf(unmodelled);
    }
}
