package dev.stagesim.io.hf;

import static dev.stagesim.io.hf.ConfigFiles.DENSE;
import static dev.stagesim.io.hf.ConfigFiles.MIXTURE;
import static dev.stagesim.io.hf.ConfigFiles.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Confidence;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A config.json with impossible or contradictory values is rejected, or its card has a low confidence. */
final class KeyRangesTest {
    private static final String LATENT = MIXTURE + ", 'q_lora_rank': 128, 'kv_lora_rank': 64, 'qk_nope_head_dim': 32,"
            + " 'qk_rope_head_dim': 16, 'v_head_dim': 32";
    private static final String HYBRID = DENSE.replace("'llama'", "'qwen3_next'")
            + ", 'full_attention_interval': 2, 'linear_num_value_heads': 8, 'linear_num_key_heads': 4,"
            + " 'linear_key_head_dim': 32, 'linear_value_head_dim': 32";

    static Stream<String> integers() {
        return Arrays.stream(IntegerKey.values()).flatMap(key -> key.spellings().stream());
    }

    private static String with(String model, String key, String value) {
        String members = model.replaceAll(", '" + key + "': [^,]+", "");
        return members + ", '" + key + "': " + value;
    }

    private static void assertRefused(String members, String... words) {
        assertThatThrownBy(() -> read(members))
                .as(members)
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(words);
    }

    @ParameterizedTest
    @MethodSource("integers")
    void rejectsIntegersOutsideTheirRange(String key) {
        for (String value : List.of("-2", "2000000001", "1000000000000", "-1e300")) {
            assertRefused(with(MIXTURE, key, value), "config.json:1#/" + key, key + " is ", "expected ");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "max_position_embeddings, 0",
        "vocab_size, 0",
        "num_attention_heads, 0",
        "num_key_value_heads, 0",
        "first_k_dense_replace, 5",
        "moe_layer_freq, 0",
        "original_max_position_embeddings, 0",
        "rope_scaling, '{''rope_type'': ''yarn'', ''factor'': -4.0}'",
        "rope_scaling, '{''rope_type'': ''yarn'', ''factor'': 1e9}'",
        "moe_intermediate_size, null",
        "vocab_size, true",
        "num_key_value_heads, 3"
    })
    void rejectsImpossibleValues(String key, String value) {
        assertRefused(with(MIXTURE, key, value), key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"})
    void requiresAllWidthsOfLatentAttention(String key) {
        assertThat(read(LATENT).origin().confidence()).isEqualTo(Confidence.HIGH);
        assertRefused(with(LATENT, key, "null"), key + " is missing");
    }

    @ParameterizedTest
    @CsvSource({
        "mlp_layer_types, ['dense']",
        "layer_types, '[''full_attention'']'",
        "hybrid_layer_pattern, '[0, 1]'",
        "moe_layer_freq, '[0, 1, 1, 1, 1, 1, 1, 1]'",
        "mlp_only_layers, '[0, 7]'"
    })
    void requiresAListItemPerLayer(String key, String value) {
        assertRefused(with(MIXTURE, key, value), key, "4");
    }

    @Test
    void limitsTheProductOfSizes() {
        String huge = with(
                with(with(MIXTURE, "hidden_size", "1000000"), "moe_intermediate_size", "10000000"),
                "n_routed_experts",
                "100000");
        assertRefused(huge, "parameters", "expected at most");
        assertRefused(with(with(DENSE, "num_attention_heads", "100000"), "head_dim", "100000"), "head_dim");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "null"})
    void doubtsExpertsPerTokenWithoutExperts(String experts) {
        ModelCard card = read(with(MIXTURE, "n_routed_experts", experts));
        assertThat(card.origin().confidence()).isEqualTo(Confidence.LOW);
        assertThat(card.warnings()).singleElement().asString().contains("experts per token");
    }

    @Test
    void doubtsExpertsWithoutALayer() {
        assertThat(read(with(MIXTURE, "first_k_dense_replace", "4")).origin().confidence())
                .isEqualTo(Confidence.LOW);
    }

    @Test
    void doubtsLinearAttentionWithoutALayer() {
        assertThat(read(HYBRID).origin().confidence()).isEqualTo(Confidence.HIGH);
        assertThat(read(with(HYBRID, "full_attention_interval", "null"))
                        .origin()
                        .confidence())
                .isEqualTo(Confidence.LOW);
    }

    @ParameterizedTest
    @CsvSource({
        "bfloat16, BF16, HIGH",
        "torch.float16, BF16, HIGH",
        "float32, BF16, LOW",
        "float8_e4m3fn, FP8, LOW",
        "float8_e5m2, FP8, LOW"
    })
    void readsTheStorageFromTorchTypes(String type, Precision weights, Confidence confidence) {
        for (String key : List.of("torch_dtype", "dtype")) {
            ModelCard card = read(DENSE + ", '" + key + "': '" + type + "'");
            assertThat(card.formats().weights()).isEqualTo(weights);
            assertThat(card.origin().confidence()).isEqualTo(confidence);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"'int8'", "'float64'", "'uint8'", "'float4_e2m1fn_x2'", "'complex64'", "'bf61'", "3", "[]"})
    void rejectsLowPrecisionTorchTypesWithoutAQuantization(String type) {
        assertRefused(DENSE + ", 'torch_dtype': " + type, "torch_dtype");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'quant_method': 'fp8' | 'quant_algo': 'NVFP4' | NVFP4",
                "'quant_method': 'fp8', 'kv_cache_quant_algo': 'FP8' | 'quant_algo': 'FP8', 'kv_cache_quant_algo': 'NVFP4' | KV",
                "'quant_method': 'gptq', 'bits': 4 | 'quant_algo': 'FP8' | INT4"
            })
    void doubtsContradictoryQuantizations(String own, String quantization, String word) {
        ModelCard card = read(
                "org/model",
                DENSE + ", 'quantization_config': {" + own + "}",
                "{'quantization': {" + quantization + "}}");
        assertThat(card.origin().confidence()).isEqualTo(Confidence.LOW);
        assertThat(card.origin().unmodelled()).singleElement().asString().contains("hf_quant_config.json", word);
    }

    @Test
    void acceptsEqualQuantizations() {
        String section = "'quant_algo': 'FP8', 'kv_cache_quant_algo': 'FP8', 'exclude_modules': ['lm_head']";
        ModelCard card = read(
                "org/model",
                DENSE + ", 'quantization_config': {" + section + "}",
                "{'quantization': {" + section + "}}");
        assertThat(card.origin().confidence()).isEqualTo(Confidence.HIGH);
    }

    @ParameterizedTest
    @CsvSource({"org/model-70B, LOW", "org/model, HIGH"})
    void comparesTheSizeInTheName(String name, Confidence confidence) {
        ModelCard card = read(name, DENSE, "");
        assertThat(card.origin().confidence()).isEqualTo(confidence);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3", "'fp8'", "[]", "true"})
    void rejectsSectionsThatAreNoObjects(String section) {
        for (String key : List.of("quantization_config", "sparse_attention_config")) {
            assertRefused(DENSE + ", '" + key + "': " + section, key, "expected an object");
        }
    }
}
