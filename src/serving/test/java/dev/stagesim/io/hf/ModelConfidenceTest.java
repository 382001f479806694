package dev.stagesim.io.hf;

import static dev.stagesim.io.hf.ConfigFiles.DENSE;
import static dev.stagesim.io.hf.ConfigFiles.read;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.card.Confidence;
import dev.stagesim.model.card.ModelCard;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ModelConfidenceTest {
    @Test
    void trustsASupportedFamily() {
        ModelCard card = read(DENSE + ", 'rope_theta': 1e6, 'attention_dropout': 0.1, 'torch_dtype': 'bfloat16'");
        assertThat(card.origin().confidence()).isEqualTo(Confidence.HIGH);
        assertThat(card.warnings()).isEmpty();
        assertThat(card.origin().computedParamsB()).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"brand_new", "llama5", ""})
    void doubtsAnUnknownFamily(String family) {
        ModelCard card = read(DENSE.replace("'llama'", "'" + family + "'"));
        assertThat(card.origin().confidence()).isEqualTo(Confidence.LOW);
        assertThat(card.warnings()).hasSize(1);
        assertThat(card.warnings().get(0)).contains("not supported");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'ffn_ratio': 2",
                "'num_memory_layers': 3",
                "'kv_share_pattern': [1, 0]",
                "'attention_other_setting': {'num_attention_heads': 16}",
                "'embedding_rank': 64",
                "'weights_dtype': 'int3'"
            })
    void namesUnknownKeysOfShapes(String member) {
        ModelCard card = read(DENSE + ", " + member);
        assertThat(card.origin().confidence()).isEqualTo(Confidence.LOW);
        assertThat(card.origin().unmodelled())
                .singleElement()
                .asString()
                .contains(member.substring(1, member.indexOf('\'', 1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"'ffn_ratio': null", "'use_memory_layers': false", "'kv_share_pattern': []"})
    void ignoresDisabledFeatures(String member) {
        assertThat(read(DENSE + ", " + member).origin().unmodelled()).isEmpty();
    }

    @Test
    void reportsTowersOfOtherModalities() {
        ModelCard card = read("'model_type': 'qwen3_vl', 'text_config': {" + DENSE + "}, 'vision_config': {'depth': 2,"
                + " 'hidden_size': 128, 'intermediate_size': 512}");
        assertThat(card.origin().unmodelled()).singleElement().asString().contains("vision_config");
        assertThat(card.origin().confidence()).isEqualTo(Confidence.HIGH);
    }

    @ParameterizedTest
    @CsvSource({
        "org/Qwen3-0.6B, 0.6",
        "Llama-3.1-405B-Instruct-FP8, 405",
        "Qwen3-30B-A3B, 30",
        "Super-49B-v1, 49",
        "sparse-284b, 284",
        "moe-1t-int4, 1000",
        "SmolLM2-360M, 0.36",
        "dense-8b-bnb-4bit, 8"
    })
    void readsSizesInNames(String name, double billions) {
        assertThat(SizeInName.of(name)).contains(billions);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Mixtral-8x7B", "Llama-4-Scout-17B-16E", "gpt-next", "DeepSeek-V3.2", "w4a16-int4"})
    void ignoresNamesWithoutASize(String name) {
        assertThat(SizeInName.of(name)).isEqualTo(Optional.empty());
    }

    @Test
    void warnsOfANameThatContradictsTheDimensions() {
        assertThat(ConfigFiles.read("org/model-8B", DENSE, "").warnings())
                .singleElement()
                .asString()
                .contains("less than the published 8");
    }
}
