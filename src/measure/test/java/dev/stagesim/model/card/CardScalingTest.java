package dev.stagesim.model.card;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.stagesim.feature.reference.CardScaling;
import dev.stagesim.feature.reference.EngineLimits;
import dev.stagesim.feature.reference.EngineShape;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Every model card can be scaled down for the reference engine. */
class CardScalingTest {
    private static ModelCard scaled(Config card) {
        Config scaled = card;
        for (String override : CardScaling.overrides(CardFiles.bind(card, ModelCard.class))) {
            String[] parts = override.substring("model.".length()).split("=", 2);
            scaled = parts[1].equals("null")
                    ? scaled.withoutPath(parts[0])
                    : scaled.withValue(
                            parts[0],
                            parts[1].matches("[0-9]+")
                                    ? ConfigValueFactory.fromAnyRef(Integer.parseInt(parts[1]))
                                    : ConfigValueFactory.fromAnyRef(parts[1]));
        }
        return CardFiles.bind(scaled, ModelCard.class);
    }

    @Test
    void scalesEveryCard() throws IOException {
        for (String option : CardFiles.options("model")) {
            ModelCard card = CardFiles.model(option);
            ModelCard scaled = scaled(CardFiles.config("model", option));
            assertThat(EngineLimits.problems(scaled, 20)).as(option).isEmpty();
            assertThat(scaled.gatedMlp()).as(option).isEqualTo(card.gatedMlp());
            assertThat(scaled.shape().numLayers()).as(option).isLessThanOrEqualTo(4);
        }
    }

    @Test
    void keepsRatios() {
        ModelCard scaled = scaled(CardFiles.config("model", "llama3_8b"));
        assertThat(scaled.shape().numHeads() / scaled.shape().numKvHeads()).isEqualTo(4);
        assertThat(scaled.shape().ffnDim()).isEqualTo(896); // 14336 of 4096 columns, scaled to 256.
        assertThat(scaled.name()).endsWith("-scaled");
        assertThat(EngineLimits.problems(CardFiles.model("llama3_8b"), 50))
                .singleElement()
                .satisfies(problem -> assertThat(problem.render()).contains("model.hidden_size=256"));
    }

    @Test
    void acceptsTinyModel() {
        assertThat(EngineLimits.problems(CardFiles.model("tiny"), 50)).isEmpty();
        assertThat(EngineShape.of(CardFiles.model("tiny")).weights()).isBetween(4_000_000L, 6_000_000L);
    }
}
