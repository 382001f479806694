package dev.stagesim.model.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.hardware.GraphModes;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.StepCard;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rejects cards with contradictory values. The binder adds the name of the card. */
final class CardRuleTest {
    private static void rejected(Class<? extends Record> type, Record card, Map<String, ?> changes, String key) {
        assertThatThrownBy(() -> with(type, card, changes))
                .as(changes.toString())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key);
    }

    private static <R extends Record> Object with(Class<R> type, Record card, Map<String, ?> changes) {
        return KeyRecord.with(type, type.cast(card), changes);
    }

    @Test
    void rejectsLayersOutsideOfTheModel() {
        ModelCard model = CardFiles.model("deepseek_v3");
        for (String key : List.of("attentionLayers", "ffnLayers", "firstDenseLayers", "moeLayerStep")) {
            int layers = model.shape().numLayers();
            assertThatCode(() -> with(ModelCard.class, model, Map.of(key, Optional.of(layers))))
                    .doesNotThrowAnyException();
            rejected(ModelCard.class, model, Map.of(key, Optional.of(layers + 1)), KeyNames.snake(key));
        }
        rejected(ModelCard.class, model, Map.of("stateLayers", Optional.of(1)), "state_dim");
    }

    @Test
    void rejectsMoreExpertsPerTokenThanExperts() {
        ModelCard model = CardFiles.model("deepseek_v3");
        int experts = model.experts().numExperts().orElseThrow();
        assertThatCode(() -> with(ModelCard.class, model, Map.of("expertsPerToken", Optional.of(experts))))
                .doesNotThrowAnyException();
        rejected(ModelCard.class, model, Map.of("expertsPerToken", Optional.of(experts + 1)), "experts_per_token");
        rejected(ModelCard.class, model, Map.of("kvLoraRank", Optional.empty()), "kv_lora_rank");
        rejected(ModelCard.class, model, Map.of("name", " "), "name");
    }

    @Test
    void rejectsExpertLayersOfDenseModels() {
        ModelCard model = CardFiles.model("deepseek_v3");
        int layers = model.shape().numLayers();
        assertThatCode(() -> with(ModelCard.class, model, Map.of("expertLayers", Optional.of(layers))))
                .doesNotThrowAnyException();
        rejected(ModelCard.class, model, Map.of("expertLayers", Optional.of(layers + 1)), "expert_layers");
        rejected(
                ModelCard.class,
                model,
                Map.of("ffnLayers", Optional.of(layers - 1), "expertLayers", Optional.of(layers)),
                "expert_layers");
        rejected(ModelCard.class, CardFiles.model("llama3_8b"), Map.of("expertLayers", Optional.of(1)), "num_experts");
    }

    @Test
    void rejectsPricesAndRatesOutOfOrder() {
        HardwareCard card = CardFiles.hardware("h100");
        rejected(HardwareCard.class, card, Map.of("priceUsdHrLow", Optional.of(1e3)), "price_usd_hr_low");
        rejected(HardwareCard.class, card, Map.of("priceUsdHrTyp", Optional.of(1e3)), "price_usd_hr_typ");
        rejected(
                HardwareCard.class,
                card,
                Map.of("priceUsdHrTyp", Optional.empty(), "priceUsdHrLow", Optional.of(1e3)),
                "price_usd_hr_high");
        rejected(HardwareCard.class, card, Map.of("mamfBf16Tflops", Optional.of(1e6)), "mamf_bf16_tflops");
        rejected(HardwareCard.class, card, Map.of("name", ""), "name");
    }

    @Test
    void rejectsInvalidCapturedSizes() {
        StepCard step = CardFiles.engine("vllm_v1");
        for (String sizes : List.of("5..1/1", "0", "-8", "0..8/8", "8..256/0", "8..255/8", "1..x", "8..4")) {
            rejected(StepCard.class, step, Map.of("captureSizes", List.of(sizes)), sizes);
        }
        for (String sizes : List.of("1", "8..256/8", "3..3", "1..9")) {
            assertThatCode(() -> with(StepCard.class, step, Map.of("captureSizes", List.of(sizes))))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void ignoresOrderAndDuplicatesOfCapturedSizes() {
        StepCard step = CardFiles.engine("vllm_v1");
        StepCard sorted = step.capturing(List.of("1", "2", "4", "8"));
        StepCard shuffled = step.capturing(List.of("8", "2", "1", "4", "2"));
        for (int tokens = 1; tokens <= 10; tokens++) {
            assertThat(GraphModes.padded(shuffled.graphs().captured(), tokens))
                    .isEqualTo(GraphModes.padded(sorted.graphs().captured(), tokens));
        }
    }
}
