package dev.stagesim.io.hf;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds parts of a config.json that the reader does not support: the family, and keys that can change shapes, layers or
 * storage.
 */
final class UnsupportedConfig {
    /** Keys that are read as JSON because they have several types. */
    private static final Set<String> OPEN = Set.of(
            ("model_type architectures quantization_config quantization text_config llm_config language_config thinker_config vision_config"
                            + " audio_config layer_types layers_block_type layer_block_types block_types attn_type_list"
                            + " hybrid_override_pattern hybrid_layer_pattern block_configs no_rope_layers sliding_window_pattern"
                            + " _sliding_window_pattern attn_layer_indices full_attn_idxs full_attention_layers linear_attn_config"
                            + " mlp_layer_types moe_layers moe_layers_enum moe_layer_freq mlp_only_layers"
                            + " new_decoder_architecture parallel_attn use_parallel_residual use_qk_norm qk_norm"
                            + " sparse_attention_config compress_ratios compress_rates indexer_types conv_dim"
                            + " conv_L_cache expert_dtype attn_output_gate linear_num_heads linear_head_dim"
                            + " tie_word_embeddings multi_query attention_k_eq_v enable_moe_block use_sliding_window"
                            + " use_double_wide_mlp")
                    .split(" ", 0));

    /** Keys that do not change shapes: training, sampling, rotation, routing, kernels. */
    private static final Set<String> HARMLESS = Set.of(
            ("attention_bias mlp_bias use_bias bias add_bias_linear qkv_bias attention_probs_dropout_prob hidden_act"
                            + " hidden_activation mlp_hidden_act mamba_hidden_act activation_function norm_eps layer_norm_epsilon"
                            + " rms_norm_eps layer_norm_eps layernorm_epsilon initializer_range use_cache pretraining_tp"
                            + " norm_topk_prob routed_scaling_factor scoring_func topk_method topk_group n_group seq_aux"
                            + " num_expert_group use_grouped_topk aux_loss_alpha router_aux_loss_coef output_router_logits"
                            + " ep_size conv_kernel linear_conv_kernel_dim mamba_d_conv mamba_conv_bias mamba_proj_bias"
                            + " chunk_size mamba_chunk_size expand time_step_rank num_logits_to_keep num_nextn_predict_layers mtp_num_hidden_layers"
                            + " num_mtp_modules mtp_transformer_layers use_mtp mtp_layers_block_type mtp_hybrid_override_pattern"
                            + " mtp_use_dedicated_embeddings qk_head_dim qk_norm_type rotary_dim partial_rotary_factor"
                            + " moe_shared_expert_overlap index_topk_freq index_topk_pattern index_skip_topk_offset"
                            + " index_share_for_mtp_iteration indexer_rope_interleave swiglu_limit swiglu_alpha"
                            + " num_hash_layers hc_eps hc_sinkhorn_iters initial_context_length attention_value_scale"
                            + " add_full_attention_sink_bias add_swa_attention_sink_bias use_gemma_norm use_routing_bias"
                            + " moe_router_scaling_factor use_moe_router_bias attn_res_block_size latent_moe_use_norm"
                            + " mla_use_nope moe_renormalize moe_router_activation_func use_bidirectional_attention"
                            + " final_logit_softcapping attn_logit_softcapping query_pre_attn_scalar rescale_prenorm_residual residual_in_fp32"
                            + " use_conv_bias use_mamba_kernels mamba_ssm_dtype mamba_ssm_cache_dtype time_step_limit"
                            + " time_step_min time_step_max time_step_floor use_mrope ffn_bias"
                            + " attention_dropout cache_implementation alibi moe_capacity_factor embedding_multiplier"
                            + " residual_multiplier attention_multiplier logits_scaling attn_temperature_tuning floor_scale"
                            + " attn_scale router_jitter_noise for_llm_class use_logits_scaling clip_qkv"
                            + " image_size image_grid_pinpoints image_seq_length image_token_index multimodal_projector_bias"
                            + " projector_hidden_size projector_hidden_act vision_feature_layer vision_feature_select_strategy"
                            + " img_token_compression_config process_image_mode num_reward_heads ignore_index"
                            + " video_placeholder image_placeholder use_unified_vision_chunk vision_soft_tokens_per_image"
                            + " moe_latent_use_norm lm_head_bias compress_rope_theta chunk_size_feed_forward"
                            + " use_head_wise_attn_gate torch_dtype dtype moe_router_dtype"
                            + " moe_norm_min attention_softmax_in_fp32 scale_attention_softmax_in_fp32 qk_layernorm"
                            + " original_max_position_embeddings dim_model_base scale_depth do_layer_norm_before layerdrop"
                            + " index_local_blocks mla_scale_q_lora mla_scale_kv_lora"
                            + " min_length max_length no_repeat_ngram_size num_beams num_beam_groups num_return_sequences"
                            + " cross_attention_hidden_size add_cross_attention pruned_heads is_decoder")
                    .split(" ", 0));

    /** Prefixes, suffixes and parts of keys that do not change shapes. */
    private static final Pattern HARMLESS_KIND = Pattern.compile(
            "_.*|.*(token_id|token_ids|token_index|dropout|pdrop|_prob|rope|beam|penalty|_loss.*|initializer.*|_coef|_std"
                    + "|_scale|_eps|_version|label.*)s?$|(rope|rotary|output_|return_|summary_|auto_map|bos|eos|pad|sep"
                    + "|id2|label2|task_|top_[kp]$|typical|tokenizer|transformers|use_flash|attn_impl|init_|scale_attn"
                    + "|reorder_and|layer_norm_|decoder_start|encoder_no|forced_|bad_words|suppress|begin_|activation_).*");

    /** Parts of keys that can change shapes, kinds of layers, widths or storage. */
    private static final Pattern SHAPES = Pattern.compile(
            ".*(size|dim|width|rank|layer|head|expert|hidden|ffn|mlp|intermediate|group|block|window|attn|attention|mamba"
                    + "|ssm|conv|state|pattern|sparse|compress|latent|quant|num_|n_|topk|top_k|ratio|interval|freq|step|mult"
                    + "|kv|moe|embed|vocab|bits|dtype|share|depth|loop|recur|linear|expan|factor|chunk|global|local|delta).*");

    private static final Set<String> READ = read();

    private final LocatedJson root;
    private final LocatedJson text;
    private final Family family;

    UnsupportedConfig(LocatedJson root, LocatedJson text, Family family) {
        this.root = root;
        this.text = text;
        this.family = family;
    }

    private static Set<String> read() {
        Set<String> names = new TreeSet<>(OPEN);
        Arrays.stream(IntegerKey.values()).forEach(key -> names.addAll(key.spellings()));
        return names;
    }

    /** Returns the keys of config.json that the reader uses. */
    static Set<String> keys() {
        return Set.copyOf(READ);
    }

    /** Returns sentences about unsupported parts; empty if there are none. */
    List<String> limitations() {
        List<String> limitations = new ArrayList<>();
        if (!family.isKnown()) {
            String name = family.name().isEmpty() ? "no model_type" : "model_type " + family.name();
            limitations.add("the family is not supported (" + name
                    + "); its layers are read as plain transformer layers, and its values may be wrong");
        }
        Set<String> unknown = new TreeSet<>();
        Stream.concat(
                        text.members().entrySet().stream(),
                        text.pointer().equals(root.pointer()) ? Stream.of() : root.members().entrySet().stream())
                .filter(member -> isUnknown(member.getKey(), member.getValue()))
                .forEach(member -> unknown.add(member.getKey()));
        if (!unknown.isEmpty()) {
            limitations.add("keys of config.json that can change the model's shape are not understood: "
                    + String.join(", ", unknown));
        }
        return limitations;
    }

    private static boolean isUnknown(String key, LocatedJson value) {
        boolean isEmpty = value.isNull()
                || (value.value() instanceof JsonValue.Bool flag && !flag.value())
                || (value.isArray() && value.items().isEmpty())
                || (value.isObject() && value.members().isEmpty());
        return !isEmpty
                && !READ.contains(key)
                && !HARMLESS.contains(key)
                && !HARMLESS_KIND.matcher(key).matches()
                && !isTower(key, value)
                && SHAPES.matcher(key).matches();
    }

    /** True for sections of towers, which are described as a whole. */
    private static boolean isTower(String key, LocatedJson value) {
        return value.isObject() && Towers.isTower(key);
    }

    /** Returns the known keys that do not change shapes. */
    static Set<String> harmless() {
        return Set.copyOf(HARMLESS);
    }
}
