package dev.stagesim.io.hf;

import static dev.stagesim.io.hf.ConfigFiles.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.ModelSize;
import org.junit.jupiter.api.Test;

final class SparseReaderTest {
    private static final String LATENT = "'model_type': 'deepseek_v32', 'hidden_size': 1024, 'num_hidden_layers': 4,"
            + " 'num_attention_heads': 8, 'intermediate_size': 1024, 'max_position_embeddings': 4096, 'vocab_size': 1000, 'q_lora_rank': 256, 'kv_lora_rank': 128,"
            + " 'qk_nope_head_dim': 64, 'qk_rope_head_dim': 32, 'v_head_dim': 64";
    private static final String INDEXER = ", 'index_topk': 2048, 'index_n_heads': 4, 'index_head_dim': 128";
    private static final long INDEX_WEIGHTS = 256L * 4 * 128 + 1024L * (128 + 4);

    @Test
    void countsTheIndexer() {
        ModelCard dense = read(LATENT);
        ModelCard sparse = read(LATENT + INDEXER);
        assertThat(sparse.size().kvBytesPerToken() - dense.size().kvBytesPerToken())
                .isEqualTo(4L * 132);
        assertThat(sparse.size().parameters() - dense.size().parameters()).isEqualTo(4 * INDEX_WEIGHTS);
        assertThat(sparse.sparse().indexTopk()).contains(2048);
        assertThat(sparse.warnings()).isEmpty();
    }

    @Test
    void omitsTheIndexerOfLayersWithASharedSelection() {
        ModelCard dense = read(LATENT);
        ModelCard sparse = read(LATENT + INDEXER + ", 'indexer_types': ['full', 'shared', 'shared', 'shared']");
        assertThat(ModelSize.indexLayers(sparse)).isEqualTo(1);
        assertThat(ModelSize.sparseLayers(sparse)).isEqualTo(4);
        assertThat(sparse.size().kvBytesPerToken() - dense.size().kvBytesPerToken())
                .isEqualTo(132);
        assertThat(sparse.size().parameters() - dense.size().parameters()).isEqualTo(INDEX_WEIGHTS);
    }

    @Test
    void readsSelectionOfBlocks() {
        ModelCard card = read("'model_type': 'minimax_m3', 'hidden_size': 1024, 'num_hidden_layers': 4,"
                + " 'num_attention_heads': 8, 'num_key_value_heads': 2, 'intermediate_size': 1024, 'max_position_embeddings': 4096, 'vocab_size': 1000,"
                + " 'sparse_attention_config': {'sparse_attention_freq': [0, 1, 1, 1], 'sparse_block_size': 128,"
                + " 'sparse_topk_blocks': 16, 'sparse_num_index_heads': 2, 'sparse_index_dim': 128}");
        assertThat(card.sparse().indexTopk()).contains(2048);
        assertThat(ModelSize.indexLayers(card)).isEqualTo(3);
        assertThat(card.size().kvBytesPerToken()).isEqualTo(4L * 2 * 2 * 128 * 2 + 3 * 132);
    }

    @Test
    void readsEntriesOfCompressedAttention() {
        ModelCard card = read("'model_type': 'deepseek_v4', 'hidden_size': 1024, 'num_hidden_layers': 4,"
                + " 'num_attention_heads': 8, 'num_key_value_heads': 1, 'head_dim': 256, 'q_lora_rank': 256, 'max_position_embeddings': 4096, 'vocab_size': 1000,"
                + " 'n_routed_experts': 4, 'num_experts_per_tok': 2, 'moe_intermediate_size': 256, 'sliding_window': 128,"
                + " 'o_lora_rank': 64, 'o_groups': 2, 'compress_ratios': [0, 4, 128, 4, 0]" + INDEXER);
        assertThat(card.shape().attention()).isEqualTo(ModelCard.Attention.COMPRESSED);
        assertThat(card.sparse().compressRatios()).containsExactly(0, 4, 128, 4);
        // A 16-bit key that is also the value, and the index of both selecting layers.
        assertThat(card.size().kvBytesPerToken()).isEqualTo(Math.round(2 * (512 + 132) / 4.0 + 512 / 128.0));
    }

    @Test
    void rejectsAnIncompleteIndexer() {
        assertThatThrownBy(() -> read(LATENT + ", 'index_topk': 2048"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("index_n_heads is missing")
                .hasMessageContaining("index_head_dim is missing");
    }
}
