package dev.stagesim.model.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.KeyRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A card warns about parts that it does not model, and about a size far from the published size. */
final class CardWarningsTest {
    private static final double GIGA = 1e9;
    private static final List<String> CARDS = List.of("llama3_8b", "qwen3_30b_a3b", "deepseek_v3", "gpt_oss_120b");

    private static List<String> warnings(String card, Map<String, ?> changes) {
        ModelCard plain = CardFiles.model(card);
        Map<String, Object> all = new HashMap<>(Map.of(
                "unmodelled", List.of(), "towerParamsB", Optional.empty(), "publishedParamsB", Optional.empty()));
        all.putAll(changes);
        return KeyRecord.with(ModelCard.class, plain, all).warnings();
    }

    private static double computed(String card) {
        return CardFiles.model(card).size().parameters() / GIGA;
    }

    @ParameterizedTest
    @ValueSource(strings = {"expertsPerToken", "moeFfnDim", "sharedFfnDim", "moeHiddenSize"})
    void warnsOfExpertValuesWithoutExperts(String key) {
        assertThatThrownBy(() -> warnings("llama3_8b", Map.of(key, Optional.of(2))))
                .hasStackTraceContaining("has no effect without num_experts");
    }

    @Test
    void warnsOfAPatternWithoutAWindow() {
        assertThatThrownBy(() -> warnings("llama3_8b", Map.of("swaPattern", Optional.of("alternate"))))
                .hasStackTraceContaining("has no effect without sliding_window");
    }

    @Test
    void warnsOfASizeThatContradictsTheDimensions() {
        assertThat(warnings("llama3_8b", Map.of("computedParamsB", Optional.of(400.0))))
                .singleElement()
                .asString()
                .contains("computed_params_b 400");
    }

    @Test
    void warnsOfLowConfidence() {
        assertThat(warnings("llama3_8b", Map.of("confidence", Confidence.LOW)))
                .singleElement()
                .asString()
                .contains("low confidence");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.94, 1.07, 2})
    void warnsOfASizeFarFromThePublishedOne(double factor) {
        for (String card : CARDS) {
            assertThat(warnings(card, Map.of("publishedParamsB", Optional.of(factor * computed(card)))))
                    .as(card)
                    .singleElement()
                    .asString()
                    .contains("published_params_b", factor > 1 ? "less than" : "more than");
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.96, 1, 1.04})
    void acceptsRoundedSizesInNames(double factor) {
        for (String card : CARDS) {
            assertThat(warnings(card, Map.of("publishedParamsB", Optional.of(factor * computed(card)))))
                    .as(card)
                    .isEmpty();
        }
    }

    /** The published size may or may not include the tower of another modality. */
    @Test
    void includesATowerInTheSizeIfConsistent() {
        for (String card : CARDS) {
            Optional<Double> tower = Optional.of(0.2 * computed(card));
            for (double published : new double[] {computed(card), 1.2 * computed(card)}) {
                assertThat(warnings(card, Map.of("towerParamsB", tower, "publishedParamsB", Optional.of(published))))
                        .isEmpty();
            }
            assertThat(warnings(
                            card, Map.of("towerParamsB", tower, "publishedParamsB", Optional.of(1.4 * computed(card)))))
                    .hasSize(1);
        }
    }

    @Test
    void namesFeaturesThatAreNotModelled() {
        assertThat(warnings("llama3_8b", Map.of("unmodelled", List.of("first effect", "second effect"))))
                .hasSize(2)
                .allMatch(text -> text.contains(CardFiles.model("llama3_8b").name()))
                .anyMatch(text -> text.endsWith("second effect"));
        assertThat(warnings("llama3_8b", Map.of())).isEmpty();
    }
}
