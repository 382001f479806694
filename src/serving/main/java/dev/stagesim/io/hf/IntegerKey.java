package dev.stagesim.io.hf;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import java.util.List;
import java.util.Optional;

/** An integer in config.json, with its range and its spellings in order of precedence. */
enum IntegerKey {
    HIDDEN(1, 1_000_000, "hidden_size n_embd d_model"),
    LAYERS(1, IntegerKey.MAX_LAYERS, "num_hidden_layers n_layer num_layers n_layers"),
    PREDICTING_LAYERS(0, 1000, "num_nextn_predict_layers mtp_num_hidden_layers num_mtp_modules"),
    VOCABULARY(1, 100_000_000, "vocab_size"),
    CONTEXT(
            1,
            1_000_000_000,
            "max_position_embeddings n_positions max_sequence_length max_seq_len model_max_length seq_length n_ctx"),
    // heads of attention
    HEADS(1, 100_000, "num_attention_heads n_head num_heads n_heads"),
    KV_HEADS(1, 100_000, "num_key_value_heads num_kv_heads n_head_kv"),
    HEAD_DIM(1, 100_000, "head_dim attention_head_dim kv_channels"),
    V_HEAD_DIM(1, 100_000, "v_head_dim"),
    Q_LORA_RANK(0, 100_000, "q_lora_rank"),
    KV_LORA_RANK(1, 100_000, "kv_lora_rank"),
    QK_NOPE_DIM(1, 100_000, "qk_nope_head_dim"),
    QK_ROPE_DIM(1, 100_000, "qk_rope_head_dim"),
    WINDOW_HEADS(1, 100_000, "swa_num_attention_heads"),
    WINDOW_KV_HEADS(1, 100_000, "swa_num_key_value_heads"),
    WINDOW_HEAD_DIM(1, 100_000, "swa_head_dim"),
    WINDOW_V_HEAD_DIM(1, 100_000, "swa_v_head_dim"),
    GLOBAL_HEAD_DIM(1, 100_000, "global_head_dim"),
    GLOBAL_KV_HEADS(1, 100_000, "num_global_key_value_heads"),
    // feed-forward parts and experts
    FFN(0, 10_000_000, "intermediate_size n_inner ffn_hidden_size ffn_dim"),
    DENSE_FFN(0, 10_000_000, "intermediate_size_mlp dense_intermediate_size"),
    EXPERT_FFN(0, 10_000_000, "moe_intermediate_size moe_ffn_hidden_size expert_intermediate_size"),
    EXPERT_HIDDEN(0, 1_000_000, "moe_latent_size routed_expert_hidden_size"),
    EXPERTS(0, 100_000, "num_local_experts num_experts n_routed_experts moe_num_experts"),
    EXPERTS_PER_TOKEN(
            0,
            100_000,
            "num_experts_per_tok num_experts_per_token experts_per_token top_k_experts moe_topk moe_top_k moe_k"),
    SHARED_EXPERTS(0, 1000, "n_shared_experts num_shared_experts moe_num_shared_experts num_shared_expert"),
    SHARED_FFN(
            0,
            10_000_000,
            "shared_expert_intermediate_size shared_intermediate_size moe_shared_expert_intermediate_size"
                    + " share_expert_dim"),
    // layers with experts
    FIRST_EXPERT_LAYER(0, "first_k_dense_replace num_dense_layers moe_layer_start_index"),
    LAST_EXPERT_LAYER(-1, "moe_layer_end_index"), // -1 is the last layer
    EXPERT_STEP(1, IntegerKey.MAX_LAYERS, "decoder_sparse_step interleave_moe_layer_step"),
    EXPERT_PERIOD(1, IntegerKey.MAX_LAYERS, "expert_layer_period"),
    EXPERT_OFFSET(0, IntegerKey.MAX_LAYERS, "expert_layer_offset"),
    EXPERT_INTERVAL(1, IntegerKey.MAX_LAYERS, "moe_layer_interval"),
    // layers with a window, with full attention, or without rotary positions
    WINDOW(1, 1_000_000_000, "sliding_window sliding_window_size"),
    CHUNK(1, 1_000_000_000, "attention_chunk_size"),
    MAX_WINDOW_LAYERS(0, IntegerKey.MAX_LAYERS, "max_window_layers"),
    FULL_INTERVAL(1, IntegerKey.MAX_LAYERS, "full_attention_interval"),
    FULL_PERIOD(1, IntegerKey.MAX_LAYERS, "attn_layer_period"),
    FULL_OFFSET(0, IntegerKey.MAX_LAYERS, "attn_layer_offset"),
    LAYER_GROUP(1, IntegerKey.MAX_LAYERS, "layer_group_size"),
    NO_ROPE_INTERVAL(1, IntegerKey.MAX_LAYERS, "no_rope_layer_interval"),
    // layers with a state
    MAMBA_HEADS(1, 100_000, "mamba_num_heads mamba_n_heads"),
    MAMBA_HEAD_DIM(1, 100_000, "mamba_head_dim mamba_d_head"),
    MAMBA_EXPAND(1, 100_000, "mamba_expand"),
    MAMBA_RANK(1, 100_000, "mamba_dt_rank"),
    STATE_SIZE(1, 100_000, "ssm_state_size mamba_d_state"),
    STATE_GROUPS(1, 100_000, "n_groups mamba_n_groups"),
    LINEAR_VALUE_HEADS(1, 100_000, "linear_num_value_heads"),
    LINEAR_KEY_HEADS(1, 100_000, "linear_num_key_heads"),
    LINEAR_VALUE_DIM(1, 100_000, "linear_value_head_dim"),
    LINEAR_KEY_DIM(1, 100_000, "linear_key_head_dim"),
    // sparse and compressed attention
    INDEX_TOPK(1, 1_000_000_000, "index_topk"),
    INDEX_TOPK_BLOCKS(1, 1_000_000, "index_topk_blocks"),
    INDEX_BLOCK(1, 1_000_000, "index_block_size"),
    INDEX_HEADS(1, 100_000, "index_n_heads"),
    INDEX_DIM(1, 100_000, "index_head_dim"),
    OUTPUT_RANK(1, 100_000, "o_lora_rank"),
    OUTPUT_GROUPS(1, 100_000, "o_groups"),
    // additional embeddings and matrices
    STREAMS(0, 1000, "hc_mult"),
    LAYER_INPUT(0, 100_000, "hidden_size_per_layer_input"),
    LAYER_VOCABULARY(0, 100_000_000, "vocab_size_per_layer_input"),
    SHARED_KV_LAYERS(0, "num_kv_shared_layers"),
    EMBEDDING_DIM(1, 1_000_000, "word_embed_proj_dim");

    static final int MAX_LAYERS = 10_000;

    private final long min;
    private final long max;
    private final boolean isWithinLayers;
    private final String spellings;

    IntegerKey(long min, long max, String spellings) {
        this(min, max, false, spellings);
    }

    /** A number of layers or an index of a layer. */
    IntegerKey(long min, String spellings) {
        this(min, IntegerKey.MAX_LAYERS, true, spellings);
    }

    IntegerKey(long min, long max, boolean isWithinLayers, String spellings) {
        this.min = min;
        this.max = max;
        this.isWithinLayers = isWithinLayers;
        this.spellings = spellings;
    }

    KeyRanges.Range range() {
        return new KeyRanges.Range(min, max, isWithinLayers);
    }

    List<String> spellings() {
        return List.of(spellings.split(" ", 0));
    }

    /** Returns the value of the first spelling that is present and not null. */
    Optional<Integer> in(LocatedJson text) {
        return spellings().stream()
                .flatMap(spelling -> text.find(spelling).stream())
                .findFirst()
                .map(LocatedJson::asInt);
    }

    /** Returns the value; reports it as missing and returns 1 if it is absent. */
    int required(LocatedJson text, List<Problem> problems, String hint) {
        Optional<Integer> found = in(text);
        if (found.isEmpty()) {
            Problem problem = text.problem(spellings().get(0) + " is missing").hint(hint);
            problems.add(spellings().size() > 1 ? problem.options(spellings()) : problem);
        }
        return found.orElse(1);
    }
}
