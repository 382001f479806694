package dev.stagesim.model.card;

import java.util.List;

/** Parts of the time of a batch, with Vidur's names. */
public final class BatchOperators {
    /** Operators on the device. */
    public static final List<String> MODEL = List.of(
            "mlp_up_proj",
            "mlp_activation",
            "mlp_down_proj",
            "mlp_down_proj_all_reduce",
            "attn_pre_proj",
            "attn_post_proj",
            "attn_post_proj_all_reduce",
            "attn_prefill",
            "attn_kv_cache_save",
            "attn_decode",
            "attn_rope",
            "pipeline_send_recv",
            "add",
            "input_layernorm",
            "post_attention_layernorm");

    public static final List<String> HOST = List.of(
            "schedule",
            "sample_e2e",
            "prepare_inputs_e2e",
            "model_execution_e2e",
            "process_model_outputs",
            "ray_comm_time");

    private BatchOperators() {}
}
