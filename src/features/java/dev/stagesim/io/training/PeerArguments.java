package dev.stagesim.io.training;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.sim.training.peer.DeepSpeedZero;
import dev.stagesim.sim.training.peer.LlmAnalysisInput;
import dev.stagesim.sim.training.peer.MegatronMemory;
import java.util.List;
import java.util.OptionalLong;

/** Reads the arguments of llm-analysis, Megatron-LM and DeepSpeed, named as those tools name them. */
public final class PeerArguments {
    private PeerArguments() {}

    private static OptionalLong number(JsonAt json, String name) {
        return json.find(name).map(at -> OptionalLong.of(at.asLong())).orElse(OptionalLong.empty());
    }

    private static double real(JsonAt json, String name, double otherwise) {
        return json.find(name).map(JsonAt::asDouble).orElse(otherwise);
    }

    private static boolean flag(JsonAt json, String name, boolean otherwise) {
        return json.find(name).map(JsonAt::asBool).orElse(otherwise);
    }

    /** Arguments of llm-analysis: {@code model}, {@code gpu}, {@code dtype}, {@code parallelism}, {@code efficiency}, {@code training}. */
    public static LlmAnalysisInput llmAnalysis(JsonAt json) {
        JsonAt dtype = json.get("dtype");
        JsonAt efficiency = json.get("efficiency");
        LlmAnalysisInput.Gpu gpu = gpu(json.get("gpu"));
        return new LlmAnalysisInput(
                model(json.get("model")),
                gpu,
                dtype.get("weight_bits").asInt(),
                dtype.get("activation_bits").asInt(),
                dtype.get("embedding_bits").asInt(),
                parallel(json.get("parallelism")),
                share(efficiency, "flops_efficiency", "achieved_tflops", gpu.fp16()),
                share(efficiency, "hbm_memory_efficiency", "achieved_memory_bandwidth_GBs", gpu.hbm()),
                real(efficiency, "intra_node_memory_efficiency", 1),
                real(efficiency, "inter_node_memory_efficiency", 1),
                training(json.get("training")));
    }

    /** The share of {@code peak} achieved, else that given; 0 counts as not given, and nothing given is all of it. */
    private static double share(JsonAt json, String name, String achieved, double peak) {
        double rate = real(json, achieved, 0);
        double share = rate == 0 ? real(json, name, 1) : rate / peak;
        return share == 0 ? 1 : share;
    }

    private static LlmAnalysisInput.Model model(JsonAt json) {
        long hidden = json.get("hidden_dim").asLong();
        long heads = json.get("n_head").asLong();
        double ratio = real(json, "expansion_ratio", 4);
        double feedForward = real(json, "ffn_embed_dim", hidden * ratio);
        return new LlmAnalysisInput.Model(
                json.get("num_layers").asLong(),
                heads,
                number(json, "num_key_value_heads").orElse(heads),
                hidden,
                feedForward,
                real(json, "expansion_ratio", feedForward / hidden),
                json.get("vocab_size").asLong(),
                number(json, "max_seq_len"),
                number(json, "moe_num_experts").orElse(1),
                number(json, "moe_top_k").orElse(1),
                flag(json, "mlp_gated_linear_units", false));
    }

    private static LlmAnalysisInput.Gpu gpu(JsonAt json) {
        double fp16 = json.get("peak_fp16_TFLOPS").asDouble();
        return new LlmAnalysisInput.Gpu(
                json.get("mem_per_GPU_in_GB").asDouble(),
                json.get("hbm_bandwidth_in_GB_per_sec").asDouble(),
                json.get("intra_node_bandwidth_in_GB_per_sec").asDouble(),
                json.get("intra_node_min_message_latency").asDouble(),
                fp16,
                real(json, "peak_i8_TFLOPS", 2 * fp16),
                real(json, "peak_i4_TFLOPS", 4 * fp16),
                real(json, "inter_node_bandwidth_in_GB_per_sec", 200));
    }

    private static LlmAnalysisInput.Parallel parallel(JsonAt json) {
        long tensor = number(json, "tp_size").orElse(1);
        return new LlmAnalysisInput.Parallel(
                tensor,
                number(json, "pp_size").orElse(1),
                number(json, "dp_size").orElse(1),
                number(json, "rdp_size").orElse(1),
                number(json, "sp_size").orElse(tensor),
                number(json, "ep_size").orElse(1));
    }

    private static LlmAnalysisInput.Training training(JsonAt json) {
        double master = real(json, "master_weights_dtype_bytes", 4);
        return new LlmAnalysisInput.Training(
                number(json, "batch_size_per_gpu").orElse(0),
                number(json, "gradient_accumulation_steps").orElse(0),
                number(json, "global_batch_size").orElse(0),
                number(json, "seq_len"),
                number(json, "total_num_tokens"),
                choice(json, "activation_recomputation", 4),
                choice(json, "ds_zero", 3),
                flag(json, "fwd_prefetch", true),
                flag(json, "bwd_prefetch", true),
                number(json, "layernorm_dtype_bytes").orElse(4),
                master,
                json.find("other_op_bytes").map(at -> at.asDouble() + master).orElse(12.0),
                flag(json, "flash_attn", true),
                flag(json, "softmax_dropout", false),
                flag(json, "mlp_recompute_gelu", false),
                (int) number(json, "mlp_activation_quant_bits").orElse(0),
                (int) number(json, "mlp_1linear_quant_bits").orElse(0),
                (int) number(json, "mlp_gelu_input_quant_bits").orElse(0),
                (int) number(json, "mlp_2linear_quant_bits").orElse(0));
    }

    private static int choice(JsonAt json, String name, int most) {
        long value = number(json, name).orElse(0);
        if (value < 0 || value > most) {
            throw json.get(name).expected("a number from 0 to " + most);
        }
        return (int) value;
    }

    /** Command-line arguments of Megatron-LM that its memory report reads. */
    public static MegatronMemory.Arguments megatron(JsonAt json) {
        long experts = json.get("expert_tensor_parallel_size").asLong()
                * json.get("expert_model_parallel_size").asLong()
                * json.get("pipeline_model_parallel_size").asLong();
        if (json.get("use_distributed_optimizer").asBool()
                && json.get("world_size").asLong() < experts) {
            throw json.get("world_size").expected("at least the " + experts + " devices that hold all experts once");
        }
        return new MegatronMemory.Arguments(
                attention(json),
                experts(json),
                new MegatronMemory.Parallel(
                        json.get("tensor_model_parallel_size").asLong(),
                        json.get("pipeline_model_parallel_size").asLong(),
                        number(json, "virtual_pipeline_model_parallel_size"),
                        json.get("data_parallel_size").asLong(),
                        json.get("expert_tensor_parallel_size").asLong(),
                        json.get("expert_model_parallel_size").asLong(),
                        json.get("world_size").asLong(),
                        json.get("sequence_parallel").asBool(),
                        json.get("use_distributed_optimizer").asBool()),
                json.get("hidden_size").asLong(),
                json.get("num_layers").asInt(),
                json.get("ffn_hidden_size").asLong(),
                json.get("swiglu").asBool(),
                json.get("normalization").asString().equals("RMSNorm"),
                json.get("padded_vocab_size").asLong(),
                json.get("untie_embeddings_and_output_weights").asBool(),
                number(json, "mtp_num_layers"),
                json.get("seq_length").asLong(),
                json.get("micro_batch_size").asLong(),
                json.find("recompute_granularity")
                        .filter(at -> at.asString().equals("selective"))
                        .isPresent());
    }

    private static MegatronMemory.Attention attention(JsonAt json) {
        long heads = json.get("num_attention_heads").asLong();
        boolean isGrouped = json.get("group_query_attention").asBool();
        boolean isLatent = flag(json, "multi_latent_attention", false);
        if (isGrouped && isLatent) {
            throw json.get("multi_latent_attention").expected("no latent attention with grouped queries");
        }
        return new MegatronMemory.Attention(
                heads,
                json.get("kv_channels").asLong(),
                isGrouped ? json.get("num_query_groups").asLong() : heads,
                isLatent,
                number(json, "q_lora_rank"),
                number(json, "kv_lora_rank").orElse(0),
                number(json, "qk_head_dim").orElse(0),
                number(json, "qk_pos_emb_head_dim").orElse(0),
                number(json, "v_head_dim").orElse(0));
    }

    private static MegatronMemory.Experts experts(JsonAt json) {
        OptionalLong count = number(json, "num_experts");
        return new MegatronMemory.Experts(
                count,
                count.isEmpty() ? 0 : json.get("moe_ffn_hidden_size").asLong(),
                number(json, "moe_shared_expert_intermediate_size"),
                number(json, "moe_latent_size"),
                number(json, "moe_router_topk").orElse(1),
                pattern(json, count.isPresent()),
                flag(json, "add_bias_linear", true),
                flag(json, "moe_shared_expert_gate", false));
    }

    private static boolean[] pattern(JsonAt json, boolean isMixture) {
        boolean[] pattern = new boolean[json.get("num_layers").asInt()];
        if (!isMixture) {
            return pattern;
        }
        JsonAt frequency = json.get("moe_layer_freq");
        boolean isList = frequency.isArray();
        List<JsonAt> items = isList ? frequency.items() : List.of();
        if (isList && items.size() != pattern.length) {
            throw frequency.expected("one item for each of the " + pattern.length + " layers");
        }
        for (int i = 0; i < pattern.length; i++) {
            pattern[i] = isList ? items.get(i).asLong() == 1 : i % frequency.asLong() == 0;
        }
        return pattern;
    }

    /** Arguments of a ZeRO estimator of DeepSpeed. */
    public static DeepSpeedZero.Need deepSpeed(int stage, JsonAt json) {
        DeepSpeedZero.Setting setting = new DeepSpeedZero.Setting(
                json.get("total_params").asLong(),
                number(json, "num_gpus_per_node").orElse(1),
                number(json, "num_nodes").orElse(1),
                real(json, "additional_buffer_factor", 1.5));
        boolean offloadsOptimizer = flag(json, "cpu_offload", true);
        return stage == 2
                ? DeepSpeedZero.stage2(setting, offloadsOptimizer)
                : DeepSpeedZero.stage3(
                        setting,
                        json.get("largest_layer_params").asLong(),
                        offloadsOptimizer,
                        flag(json, "cpu_offload_params", true),
                        flag(json, "zero_init", true));
    }
}
