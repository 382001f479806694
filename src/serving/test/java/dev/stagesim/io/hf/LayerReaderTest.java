package dev.stagesim.io.hf;

import static dev.stagesim.io.hf.ConfigFiles.DENSE;
import static dev.stagesim.io.hf.ConfigFiles.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.card.LayerPattern;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LayerReaderTest {
    private static final String DELTA = "'model_type': 'qwen3_next', 'hidden_size': 512, 'num_hidden_layers': 8,"
            + " 'num_attention_heads': 8, 'num_key_value_heads': 2, 'head_dim': 64, 'intermediate_size': 1024, 'max_position_embeddings': 4096, 'vocab_size': 1000,"
            + " 'linear_num_value_heads': 8, 'linear_num_key_heads': 4, 'linear_key_head_dim': 32, 'linear_value_head_dim': 32";
    private static final String MAMBA = "'model_type': 'nemotron_h', 'hidden_size': 512, 'num_attention_heads': 8,"
            + " 'num_key_value_heads': 2, 'head_dim': 64, 'intermediate_size': 1024, 'max_position_embeddings': 4096, 'vocab_size': 1000, 'mamba_num_heads': 16,"
            + " 'mamba_head_dim': 64, 'ssm_state_size': 16, 'n_groups': 2, 'n_routed_experts': 4, 'num_experts_per_tok': 2,"
            + " 'moe_intermediate_size': 256";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'full_attention_interval': 4",
                "'layer_types': ['linear_attention', 'linear_attention', 'linear_attention', 'full_attention',"
                        + " 'linear_attention', 'linear_attention', 'linear_attention', 'full_attention']",
                "'attn_layer_period': 4, 'attn_layer_offset': 3",
                "'attn_layer_indices': [3, 7]",
                "'layer_group_size': 4",
                "'layers_block_type': ['linear_attention', 'linear_attention', 'linear_attention', 'attention',"
                        + " 'linear_attention', 'linear_attention', 'linear_attention', 'attention']"
            })
    void readsAModelInEverySpelling(String layers) {
        ModelCard card = read(DELTA + ", " + layers);
        assertThat(card.hybrid().stateLayers()).contains(6);
        assertThat(ModelSize.attentionLayers(card)).isEqualTo(2);
        assertThat(card.size().kvBytesPerToken()).isEqualTo(2L * 2 * 2 * 2 * 64);
    }

    @Test
    void reportsMissingAndUnknownKindsOnce() {
        assertThatThrownBy(() -> read(DELTA + ", 'layer_types': ['linear_attention', 'full_attention']"))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.problems()).hasSize(1));
        assertThatThrownBy(() -> read(MAMBA + ", 'hybrid_override_pattern': 'MEM*-EXXX'"))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.problems()).hasSize(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'num_hidden_layers': 6, 'hybrid_override_pattern': 'MEM*-E'",
                "'hybrid_override_pattern': 'MEM*-E'",
                "'layers_block_type': ['mamba', 'moe', 'mamba', 'attention', 'mlp', 'moe']",
                "'layers_block_type': ['linear_attention', 'moe', 'linear_attention', 'full_attention', 'mlp', 'moe']",
            })
    void readsLayersOfOnePart(String layers) {
        ModelCard card = read(MAMBA + ", " + layers);
        assertThat(card.shape().numLayers()).isEqualTo(6);
        assertThat(card.hybrid().stateLayers()).contains(2);
        assertThat(card.hybrid().attentionLayers()).contains(1);
        assertThat(card.hybrid().ffnLayers()).contains(3);
        assertThat(ModelSize.expertLayers(card)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'layer_types': ['full_attention', 'sliding_attention', 'full_attention', 'sliding_attention'] | 2",
                "'hybrid_layer_pattern': [0, 1, 1, 1] | 3",
                "'sliding_window_pattern': 2 | 2",
                "'sliding_window_pattern': 'LLLG' | 3",
                "'sliding_window_pattern': [true, true, false] | 3",
                "'use_sliding_window': true, 'max_window_layers': 3 | 1",
                "'use_sliding_window': false | 0",
                "'max_window_layers': 3 | 4",
            })
    void readsWindowsInEverySpelling(String layers, int windowed) {
        ModelCard card = read(DENSE + ", 'sliding_window': 64, " + layers);
        assertThat(LayerPattern.of(card).count(4)).isEqualTo(windowed);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'moe_layer_freq': [0, 0, 1, 1, 1, 1] | 4",
                "'moe_layer_freq': 1, 'first_k_dense_replace': 2 | 4",
                "'moe_layer_freq': 2 | 3",
                "'mlp_layer_types': ['dense', 'sparse', 'sparse', 'dense', 'sparse', 'sparse'] | 4",
                "'decoder_sparse_step': 2 | 3",
                "'decoder_sparse_step': 1, 'mlp_only_layers': [0, 5] | 4",
                "'interleave_moe_layer_step': 2 | 3",
                "'expert_layer_period': 2, 'expert_layer_offset': 1 | 3",
                "'moe_layer_start_index': 1, 'moe_layer_end_index': 4, 'moe_layer_interval': 1 | 4",
                "'num_dense_layers': 2 | 4",
                "'moe_layers_enum': '1,3' | 2",
            })
    void readsMixturesInEverySpelling(String layers, int expected) {
        ModelCard card = read("'model_type': 'qwen3_moe', 'hidden_size': 512, 'num_hidden_layers': 6,"
                + " 'num_attention_heads': 8, 'intermediate_size': 1024, 'moe_intermediate_size': 128, 'max_position_embeddings': 4096, 'vocab_size': 1000,"
                + " 'num_experts': 8, 'num_experts_per_tok': 2, " + layers);
        assertThat(ModelSize.expertLayers(card)).isEqualTo(expected);
        assertThat(card.warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_topk", "moe_k"})
    void readsExpertsPerTokenInEverySpelling(String key) {
        ModelCard card = read(DENSE.replace("llama", "mixtral") + ", 'num_local_experts': 8, '" + key + "': 3");
        assertThat(card.experts().expertsPerToken()).contains(3);
    }

    @Test
    void readsTheShapeOfEveryPrunedLayer() {
        String block = "{'attention': {'no_op': %s, 'n_heads_in_group': %s}, 'ffn': {'no_op': %s, 'ffn_mult': %s}}";
        ModelCard card = read("'model_type': 'nemotron-nas', 'hidden_size': 1024, 'num_hidden_layers': 4,"
                + " 'num_attention_heads': 8, 'num_key_value_heads': null, 'intermediate_size': null, 'max_position_embeddings': 4096, 'vocab_size': 1000,"
                + " 'block_configs': ["
                + String.join(
                        ",",
                        List.of(
                                String.format(block, "false", "4", "false", "3"),
                                String.format(block, "true", "null", "false", "1.5"),
                                String.format(block, "true", "null", "true", "null"),
                                String.format(block, "false", "4", "false", "3")))
                + "]");
        assertThat(card.shape().numKvHeads()).isEqualTo(2);
        assertThat(card.hybrid().attentionLayers()).contains(2);
        assertThat(card.hybrid().ffnLayers()).contains(3);
        assertThat(card.shape().ffnDim()).isEqualTo(27 * 64); // The mean of 1706.7, rounded to a multiple of 64.
        assertThat(card.size().kvBytesPerToken()).isEqualTo(2L * 2 * 2 * 2 * 128);
    }

    @Test
    void ignoresNullWidths() {
        assertThatThrownBy(() -> read(DENSE.replace("'intermediate_size': 1024", "'intermediate_size': null")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("intermediate_size is missing or null");
    }

    @Test
    void rejectsUnknownKinds() {
        assertThatThrownBy(() -> read(DENSE + ", 'layer_types': ['full_attention', 'odd', 'odd', 'odd']"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("#/layer_types/1")
                .hasMessageContaining("'odd'");
        assertThatThrownBy(() -> read(MAMBA + ", 'hybrid_override_pattern': 'MX'"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("'X'");
        assertThatThrownBy(() -> read(DENSE + ", 'layer_types': ['full_attention']"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("lists 1 layers");
    }

    @Test
    void readsTheWidthOfLatentExperts() {
        ModelCard card = read(MAMBA + ", 'hybrid_override_pattern': 'ME*', 'moe_latent_size': 128");
        assertThat(ModelSize.expert(card)).isEqualTo(2L * 128 * 256);
        assertThat(ModelSize.unroutedWeights(card)).isEqualTo(4L * 512 + 2L * 128 * 512);
    }
}
