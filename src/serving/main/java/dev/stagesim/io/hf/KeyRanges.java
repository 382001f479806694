package dev.stagesim.io.hf;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Ranges of the integers in a config.json. A value outside its range is an error in the file. */
final class KeyRanges {
    private static final int MAX_LAYERS = 10_000;

    private static final List<String> LAYER_KEYS = List.of("num_hidden_layers", "n_layer", "num_layers", "n_layers");

    private static final Map<String, Range> RANGES = new HashMap<>();

    /** A range; {@code isWithinLayers} limits layer indices and layer counts by the number of layers. */
    private record Range(long min, long max, boolean isWithinLayers) {}

    static {
        add(1, MAX_LAYERS, "num_hidden_layers n_layer num_layers n_layers decoder_sparse_step expert_layer_period");
        add(1, MAX_LAYERS, "interleave_moe_layer_step moe_layer_interval full_attention_interval attn_layer_period");
        add(1, MAX_LAYERS, "layer_group_size no_rope_layer_interval sliding_window_pattern _sliding_window_pattern");
        add(0, MAX_LAYERS, "max_window_layers attn_layer_offset expert_layer_offset");
        addLayers(0, "first_k_dense_replace num_dense_layers moe_layer_start_index num_kv_shared_layers");
        addLayers(0, "attn_layer_indices full_attn_idxs full_attention_layers full_attn_layers moe_layers");
        addLayers(0, "mlp_only_layers");
        addLayers(-1, "moe_layer_end_index"); // -1 is the last layer
        add(0, 1000, "num_nextn_predict_layers mtp_num_hidden_layers num_mtp_modules");
        // widths and ranks
        add(1, 1_000_000, "hidden_size n_embd d_model word_embed_proj_dim conv_dim");
        add(
                1,
                100_000,
                "head_dim attention_head_dim kv_channels v_head_dim swa_head_dim swa_v_head_dim global_head_dim");
        add(1, 100_000, "qk_nope_head_dim qk_rope_head_dim index_head_dim sparse_index_dim linear_head_dim");
        add(1, 100_000, "linear_value_head_dim linear_key_head_dim mamba_head_dim mamba_d_head ssm_state_size");
        add(1, 100_000, "mamba_d_state mamba_dt_rank mamba_expand conv_L_cache kv_lora_rank o_lora_rank");
        add(0, 100_000, "q_lora_rank hidden_size_per_layer_input");
        add(0, 10_000_000, "intermediate_size n_inner ffn_hidden_size ffn_dim intermediate_size_mlp");
        add(0, 10_000_000, "dense_intermediate_size moe_intermediate_size moe_ffn_hidden_size");
        add(0, 10_000_000, "expert_intermediate_size shared_expert_intermediate_size shared_intermediate_size");
        add(0, 10_000_000, "moe_shared_expert_intermediate_size share_expert_dim");
        add(0, 1_000_000, "moe_latent_size routed_expert_hidden_size");
        // heads, groups and experts
        add(1, 100_000, "num_attention_heads n_head num_heads n_heads num_key_value_heads num_kv_heads n_head_kv");
        add(1, 100_000, "swa_num_attention_heads swa_num_key_value_heads num_global_key_value_heads n_heads_in_group");
        add(1, 100_000, "linear_num_value_heads linear_num_key_heads linear_num_heads mamba_num_heads mamba_n_heads");
        add(1, 100_000, "n_groups mamba_n_groups index_n_heads sparse_num_index_heads o_groups");
        add(0, 100_000, "num_local_experts num_experts n_routed_experts moe_num_experts");
        add(0, 100_000, "num_experts_per_tok num_experts_per_token experts_per_token top_k_experts moe_topk");
        add(0, 100_000, "moe_top_k moe_k");
        add(0, 1000, "n_shared_experts num_shared_experts moe_num_shared_experts num_shared_expert hc_mult");
        // tokens
        add(1, 100_000_000, "vocab_size");
        add(0, 100_000_000, "vocab_size_per_layer_input");
        add(1, 1_000_000_000, "max_position_embeddings n_positions max_sequence_length max_seq_len model_max_length");
        add(1, 1_000_000_000, "seq_length n_ctx sliding_window sliding_window_size attention_chunk_size window_length");
        add(1, 1_000_000_000, "index_topk");
        add(1, 1_000_000, "index_topk_blocks index_block_size sparse_topk_blocks sparse_block_size");
        add(0, 1_000_000, "compress_ratios");
        add(0, MAX_LAYERS, "moe_layer_freq");
        add(0, 1, "no_rope_layers hybrid_layer_pattern sparse_attention_freq sparse_disable_index_value");
    }

    private KeyRanges() {}

    private static void add(long min, long max, String names) {
        add(new Range(min, max, false), names);
    }

    private static void addLayers(long min, String names) {
        add(new Range(min, MAX_LAYERS, true), names);
    }

    private static void add(Range range, String names) {
        for (String name : names.split(" ", 0)) {
            RANGES.put(name, range);
        }
    }

    /** Reports all numbers outside their range. Sections of towers and quantization are not checked. */
    static void check(LocatedJson section, List<Problem> problems) {
        long layers = LAYER_KEYS.stream()
                .map(section::find)
                .flatMap(Optional::stream)
                .filter(at -> at.value() instanceof JsonValue.Int)
                .mapToLong(LocatedJson::asLong)
                .findFirst()
                .orElse(MAX_LAYERS);
        section.members().forEach((key, value) -> check(key, value, layers, problems));
    }

    private static void check(String key, LocatedJson value, long layers, List<Problem> problems) {
        if (value.isObject() && !Towers.isTower(key) && !key.startsWith("quantization")) {
            value.members().forEach((name, inner) -> check(name, inner, layers, problems));
        } else if (value.isArray()) {
            value.items().forEach(item -> check(key, item, layers, problems));
        } else if (RANGES.containsKey(key) && value.isNumber()) {
            Range range = RANGES.get(key);
            long max = range.isWithinLayers && layers > 0 ? Math.min(layers, range.max) : range.max;
            double number = value.asDouble();
            if (number < range.min || number > max) {
                problems.add(value.problem(key + " is " + Json.compact(value.value()) + ", expected " + range.min
                        + " to " + max + (max < range.max ? " (the number of layers)" : "")));
            }
        }
    }
}
