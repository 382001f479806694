package dev.stagesim.sim.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelFeature;
import dev.stagesim.model.card.ModelSize;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class CardArchitectureTest {
    /** Cards with features that are not modelled are excluded. */
    @ParameterizedTest
    @MethodSource("dev.stagesim.model.card.CardFiles#models")
    void hasTheActiveWeightsOfTheCard(String option) {
        ModelCard card = CardFiles.model(option);
        Architecture model = Architecture.of(card);
        Set<ModelFeature> weightless = EnumSet.of(ModelFeature.STORAGE, ModelFeature.WINDOWS);
        double embedding = card.tieEmbeddings() ? 0 : model.vocabularyWeights();
        if (ModelFeature.unmodelled(card, weightless).isEmpty()) {
            double expected = card.size().activeParameters();
            assertThat(model.activeWeights() + embedding).isCloseTo(expected, within(1e-9 * expected));
            assertThat(model.mixturesBefore(card.shape().numLayers())).isEqualTo(ModelSize.expertLayers(card));
        }
    }
}
