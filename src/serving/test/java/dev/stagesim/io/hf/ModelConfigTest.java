package dev.stagesim.io.hf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ModelConfigTest {
    @TempDir
    private Path dir;

    private ModelCard read(String json) throws IOException {
        Path file = dir.resolve("config.json");
        Files.writeString(file, json.replace('\'', '"'));
        return ModelConfig.read(file, "org/model");
    }

    @Test
    void readsADenseModelWithAnExplicitHeadWidth() throws IOException {
        ModelCard card =
                read("{'model_type': 'qwen3', 'hidden_size': 1024, 'num_hidden_layers': 28, 'num_attention_heads': 16,"
                        + " 'num_key_value_heads': 8, 'head_dim': 128, 'intermediate_size': 3072, 'vocab_size': 151936,"
                        + " 'tie_word_embeddings': true, 'sliding_window': null, 'max_position_embeddings': 40960}");
        assertThat(card.size().parameters()).isBetween(590_000_000L, 600_000_000L);
        assertThat(card.shape().qkNorm()).isTrue();
        assertThat(card.window().slidingWindow()).isEmpty();
        assertThat(card.shape().attention()).isEqualTo(ModelCard.Attention.GQA);
        assertThat(card.formats().weights()).isEqualTo(Precision.BF16);
    }

    @ParameterizedTest
    @ValueSource(ints = {-3, 0, 10_001, 1_000_000_000})
    void rejectsNumbersOfLayersOutsideTheRange(int layers) {
        assertThatThrownBy(() -> read("{'model_type': 'qwen3', 'hidden_size': 1024, 'num_hidden_layers': " + layers
                        + ", 'num_attention_heads': 16, 'intermediate_size': 3072, 'vocab_size': 151936}"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("num_hidden_layers is " + layers + ", expected 1 to 10000");
    }

    @Test
    void rejectsAnArchitectureWithoutAttention() {
        assertThatThrownBy(() -> read("{'model_type': 'mamba', 'hidden_size': 1024, 'num_hidden_layers': 48,"
                        + " 'vocab_size': 50280, 'state_size': 16}"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("the architecture mamba is not supported")
                .hasMessageContaining("jamba");
    }

    /** Families with recurrent layers that are not read are refused, even if the file has attention heads. */
    @ParameterizedTest
    @ValueSource(
            strings = {"mamba2", "falcon_mamba", "rwkv", "zamba", "zamba2", "recurrent_gemma", "falcon_h1", "other"})
    void rejectsUnsupportedRecurrentLayers(String family) {
        assertThatThrownBy(() -> read("{'model_type': '" + family + "', 'hidden_size': 1024, 'num_hidden_layers': 48,"
                        + " 'num_attention_heads': 16, 'intermediate_size': 3072, 'vocab_size': 50280,"
                        + " 'mamba_d_state': 16}"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("the architecture " + family + " is not supported");
    }

    /** Jamba's dimensions of Mamba have the defaults of Transformers: 16 values, expansion by 2, rank of a 16th. */
    @Test
    void readsJambaWithoutDimensionsOfMamba() throws IOException {
        String jamba =
                "{'model_type': 'jamba', 'hidden_size': 4096, 'num_hidden_layers': 32, 'num_attention_heads': 32,"
                        + " 'num_key_value_heads': 8, 'intermediate_size': 14336, 'vocab_size': 65536, 'num_experts': 16,"
                        + " 'num_experts_per_tok': 2, 'attn_layer_offset': 4, 'attn_layer_period': 8, 'expert_layer_offset': 1,"
                        + " 'expert_layer_period': 2";
        ModelCard stated = read(jamba + ", 'mamba_d_state': 16, 'mamba_dt_rank': 256, 'mamba_expand': 2}");
        assertThat(stated.size().parameters()).isBetween(51_000_000_000L, 52_000_000_000L);
        for (String omitted : List.of("}", ", 'mamba_dt_rank': 'auto'}")) {
            assertThat(read(jamba + omitted).size()).isEqualTo(stated.size());
            assertThat(read(jamba + omitted).hybrid()).isEqualTo(stated.hybrid());
        }
    }

    @Test
    void namesTheMissingKeysOfMamba() {
        assertThatThrownBy(() -> read("{'model_type': 'granitemoehybrid', 'hidden_size': 1024, 'num_hidden_layers': 2,"
                        + " 'num_attention_heads': 16, 'intermediate_size': 3072, 'vocab_size': 50280,"
                        + " 'layer_types': ['mamba', 'attention']}"))
                .hasMessageContaining("mamba_num_heads is missing")
                .hasMessageNotContaining("linear_num_value_heads");
    }

    @Test
    void rejectsMoreExpertsPerTokenThanExperts() {
        assertThatThrownBy(() -> read("{'model_type': 'qwen3_moe', 'hidden_size': 1024, 'num_hidden_layers': 4,"
                        + " 'num_attention_heads': 16, 'intermediate_size': 3072, 'vocab_size': 151936,"
                        + " 'num_experts': 128, 'num_experts_per_tok': 256, 'moe_intermediate_size': 768}"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("256");
    }

    @Test
    void readsLatentAttentionWithBlockScaledExperts() throws IOException {
        ModelCard card = read("{'model_type': 'deepseek_v3', 'hidden_size': 7168, 'num_hidden_layers': 61,"
                + " 'num_attention_heads': 128, 'num_key_value_heads': 128, 'intermediate_size': 18432, 'vocab_size': 129280,"
                + " 'n_routed_experts': 256, 'num_experts_per_tok': 8, 'moe_intermediate_size': 2048, 'n_shared_experts': 1,"
                + " 'first_k_dense_replace': 3, 'q_lora_rank': 1536, 'kv_lora_rank': 512, 'qk_nope_head_dim': 128,"
                + " 'qk_rope_head_dim': 64, 'v_head_dim': 128, 'quantization_config': {'quant_method': 'fp8',"
                + " 'weight_block_size': [128, 128]}}");
        assertThat(card.size().parameters()).isBetween(670_000_000_000L, 672_000_000_000L);
        assertThat(card.size().kvBytesPerToken()).isEqualTo(70_272);
        assertThat(card.formats().weights()).isEqualTo(Precision.FP8_BLOCK);
        // One byte per weight, two for embeddings, head and routers.
        assertThat(card.size().weightBytes() - card.size().parameters())
                .isEqualTo(2L * 129_280 * 7168 + 58L * 256 * 7168);
    }

    @Test
    void readsANestedModelWithWindowsAndFourBitExperts() throws IOException {
        ModelCard card = read(
                "{'model_type': 'x', 'text_config': {'model_type': 'gpt_oss', 'hidden_size': 2880,"
                        + " 'num_hidden_layers': 4, 'num_attention_heads': 64, 'num_key_value_heads': 8, 'head_dim': 64,"
                        + " 'intermediate_size': 2880, 'vocab_size': 201088, 'num_local_experts': 128, 'num_experts_per_tok': 4,"
                        + " 'sliding_window': 128, 'layer_types': ['sliding_attention', 'full_attention', 'sliding_attention',"
                        + " 'full_attention']}, 'quantization_config': {'quant_method': 'mxfp4'}, 'tie_word_embeddings': false}");
        assertThat(card.window().swaPattern()).contains("alternate");
        assertThat(card.expertPrecision()).isEqualTo(Precision.MXFP4);
        assertThat(card.formats().weights()).isEqualTo(Precision.BF16);
        assertThat(card.experts().moeFfnDim()).contains(2880);
    }

    @Test
    void readsLayersWithARecurrentState() throws IOException {
        ModelCard card = read("{'model_type': 'nemotron_h', 'hidden_size': 4480, 'num_hidden_layers': 6,"
                + " 'num_attention_heads': 40, 'num_key_value_heads': 8, 'attention_head_dim': 128, 'intermediate_size': 15680,"
                + " 'vocab_size': 131072, 'hybrid_override_pattern': 'M-M-M*', 'mamba_num_heads': 128, 'mamba_head_dim': 80,"
                + " 'ssm_state_size': 128, 'n_groups': 8, 'time_step_limit': [0.0, Infinity]}");
        assertThat(card.hybrid().stateLayers()).contains(3);
        assertThat(card.hybrid().ffnLayers()).contains(2);
        assertThat(card.hybrid().attentionLayers()).contains(1);
        assertThat(card.hybrid().stateDim()).contains(10_240);
        assertThat(card.size().kvBytesPerToken()).isEqualTo(2 * 2 * 8 * 128);
    }

    @Test
    void listsMissingKeysOfAHybrid() {
        assertThatThrownBy(() -> read("{'model_type': 'nemotron_h', 'hidden_size': 4480, 'num_hidden_layers': 6,"
                        + " 'num_attention_heads': 40, 'vocab_size': 131072, 'hybrid_override_pattern': 'M-M-M*'}"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("mamba_num_heads is missing")
                .hasMessageContaining("ssm_state_size is missing");
    }

    @Test
    void listsAllMissingKeys() {
        assertThatThrownBy(() -> read("{'model_type': 'x', 'hidden_size': 8, 'num_experts': 4}"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("num_hidden_layers is missing")
                .hasMessageContaining("num_attention_heads is missing")
                .hasMessageContaining("vocab_size is missing")
                .hasMessageContaining("num_experts_per_tok is missing");
    }

    @Test
    void rejectsZeroExpertsPerToken() {
        assertThatThrownBy(() -> read("{'model_type': 'x', 'num_experts': 4, 'num_experts_per_tok': 0}"))
                .hasMessageContaining("num_experts_per_tok is 0, expected 1 to 4");
    }
}
