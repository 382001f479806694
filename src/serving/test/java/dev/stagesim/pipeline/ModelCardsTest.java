package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.Key;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.pipeline.request.ModelCards;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Finds cards at any place in the settings. */
class ModelCardsTest {
    private static final ModelCard FIRST = CardFiles.model("llama3_8b");
    private static final ModelCard SECOND = CardFiles.model("qwen3");

    record Part(@Key("A model. | null") Optional<ModelCard> model, @Key("A rate. | 1") int rate) {}

    record Whole(
            @Key("A model.") ModelCard model,
            @Key("A part.") Part part,
            @Key("Parts.") List<Part> list,
            @Key("Parts by name.") Map<String, Part> named) {}

    private static Part part(ModelCard... cards) {
        return new Part(cards.length == 0 ? Optional.empty() : Optional.of(cards[0]), 1);
    }

    @Test
    void visitsEveryCardInOrder() {
        Whole whole = new Whole(FIRST, part(SECOND), List.of(part(), part(FIRST)), Map.of("a", part(SECOND)));
        assertThat(ModelCards.in(whole)).containsExactly(FIRST, SECOND, FIRST, SECOND);
    }

    @Test
    void findsNoCardInSettingsWithoutAModel() {
        assertThat(ModelCards.in(part())).isEmpty();
    }
}
