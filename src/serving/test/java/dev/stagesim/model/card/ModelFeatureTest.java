package dev.stagesim.model.card;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ModelFeatureTest {
    private static final String LAYERS = "model.state_layers=20;model.state_dim=64;model.state_size=16";

    @ParameterizedTest
    @CsvSource({
        "WINDOWS, model.sliding_window=1024, sliding_window",
        "WINDOW_HEADS, model.sliding_window=1024;model.window_num_heads=16, window_num_heads",
        "SPARSE_ATTENTION, model.index_topk=2048, index_topk",
        "COMPRESSED_CONTEXT, 'model.attention=compressed;model.compress_ratios=[4,128]', compress_ratios",
        "LAYERS_WITHOUT_ATTENTION, " + LAYERS + ", state_layers",
        "LAYERS_WITHOUT_ATTENTION, model.attention_layers=3, attention_layers",
        "LAYERS_WITHOUT_FEED_FORWARD, model.ffn_layers=3, ffn_layers",
        "EXPERT_LAYERS, model.expert_layers=16, expert_layers",
        "LATENT_EXPERTS, model.moe_hidden_size=1024, moe_hidden_size",
        "ATTENTION_WEIGHTS, model.attention_params=1000, attention_params",
        "OTHER_WEIGHTS, model.other_params=1000, other_params",
        "STORAGE, model.weights=fp8, storage",
        "STORAGE, model.expert_weights=fp8, storage",
        "STORAGE, '+model.storage=[{group:shared_experts,precision:fp8}]', storage"
    })
    void listsFeaturesThatAreNotModelled(ModelFeature feature, String overrides, String key) {
        ModelCard card = CardFiles.model("mixtral_8x7b", overrides.split(";"));
        Set<ModelFeature> others = EnumSet.complementOf(EnumSet.of(feature));
        assertThat(ModelFeature.unmodelled(card, others))
                .singleElement()
                .asString()
                .contains(key);
        assertThat(ModelFeature.unmodelled(card, EnumSet.allOf(ModelFeature.class)))
                .isEmpty();
        assertThat(ModelFeature.warnings(card, others))
                .singleElement()
                .asString()
                .contains(card.name(), key);
    }

    @Test
    void listsNoFeatureOfAPlainCard() {
        assertThat(ModelFeature.unmodelled(CardFiles.model("llama3_8b"), Set.of()))
                .isEmpty();
        assertThat(ModelFeature.unmodelled(CardFiles.model("mixtral_8x7b"), Set.of()))
                .isEmpty();
    }
}
