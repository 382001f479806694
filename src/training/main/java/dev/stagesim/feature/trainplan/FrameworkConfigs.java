package dev.stagesim.feature.trainplan;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.YamlText;
import dev.stagesim.model.KeyNames;
import dev.stagesim.sim.training.Layout;
import dev.stagesim.sim.training.Strategy;
import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.StrategySearch.Candidate;
import dev.stagesim.sim.training.schedule.PipelineSchedule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes the configuration of each framework that supports a strategy, and lists what these files cannot express. */
final class FrameworkConfigs {
    private final TrainingPlan plan;
    private final Strategy s;
    private final Layout layout;
    private final List<String> limits = new ArrayList<>();

    FrameworkConfigs(TrainingPlan plan, Candidate candidate) {
        this.plan = plan;
        this.s = candidate.strategy();
        this.layout = candidate.layout();
    }

    /** Returns the content of each file by name. */
    Map<String, String> all() {
        Map<String, String> files = new LinkedHashMap<>();
        Framework.StrategyRequest request =
                new Framework.StrategyRequest(s, plan.request().model(), plan.settings());
        for (Framework framework : Framework.values()) {
            Optional<String> whyUnsupported = framework.whyUnsupported(request);
            if (whyUnsupported.isPresent()) {
                limits.add(framework.label() + ": does not support this strategy: " + whyUnsupported.get());
                continue;
            }
            switch (framework) {
                case MEGATRON_LM -> {
                    files.put("megatron_lm.sh", megatron());
                    files.put("nemo.yaml", nemo());
                }
                case TORCHTITAN -> files.put("torchtitan.toml", torchtitan());
                case DEEPSPEED -> files.put("deepspeed.json", deepSpeed());
            }
        }
        StringBuilder limited = new StringBuilder("# Limits of these files\n\n");
        for (String limit : limits) {
            limited.append("- ").append(limit).append('\n');
        }
        files.put("limits.md", limits.isEmpty() ? limited + "None.\n" : limited.toString());
        return files;
    }

    static String label(Strategy s) {
        return "tp=" + s.tensor() + " pp=" + s.pipeline() + " vp=" + s.virtual() + " dp=" + s.data() + " cp="
                + s.context() + " ep=" + s.expert() + " etp=" + s.expertTensor() + " zero=" + s.zero()
                + (s.zero() > 0 && s.shardGroup() < s.replicas() ? " shard=" + s.shardGroup() : "")
                + " micro_batch=" + s.microBatch() + " recompute=" + KeyNames.constant(s.recompute()) + " schedule="
                + s.schedule().id();
    }

    /** Returns the number of shard groups, each with a full copy of the states. */
    private int groups() {
        return s.replicas() / s.shardGroup();
    }

    private int stages() {
        return layout.stages();
    }

    private boolean isUneven() {
        for (int i = 1; i < stages(); i++) {
            if (layout.layers(i) != layout.layers(0)) {
                return true;
            }
        }
        return false;
    }

    /** True if every framework supports the schedule. */
    private boolean isCommon() {
        return s.pipeline() == 1
                || s.schedule() == PipelineSchedule.ONE_F_ONE_B
                || s.schedule() == PipelineSchedule.INTERLEAVED;
    }

    /** Returns the pipeline layout in Megatron syntax, from embedding to loss. */
    private String layoutText() {
        StringBuilder text = new StringBuilder("E");
        for (int i = 0; i < stages(); i++) {
            text.append(i == 0 ? "" : "|").append("t".repeat(layout.layers(i)));
        }
        return text.append("L").toString();
    }

    private String megatron() {
        List<String> flags = new ArrayList<>();
        flags.add("--tensor-model-parallel-size " + s.tensor());
        if (s.isSequence()) {
            flags.add("--sequence-parallel");
        }
        flags.add("--pipeline-model-parallel-size " + s.pipeline());
        if (s.pipeline() > 1 && isUneven() && isCommon()) {
            flags.add("--pipeline-model-parallel-layout " + layoutText());
        } else if (s.virtual() > 1) {
            flags.add("--num-virtual-stages-per-pipeline-rank " + s.virtual());
        }
        flags.add("--context-parallel-size " + s.context());
        if (s.context() > 1) {
            flags.add("--cp-comm-type p2p");
        }
        if (plan.request().model().isMixture()) {
            flags.add("--expert-model-parallel-size " + s.expert());
            flags.add("--expert-tensor-parallel-size " + s.expertTensor());
            flags.add("--moe-token-dispatcher-type alltoall");
            if (plan.settings().software().dispatch().maxExpertNodes().isPresent()) {
                limits.add(
                        "Megatron-LM: --moe-router-num-groups and --moe-router-group-topk of the model limit the nodes per token");
            }
            overlapFlags(flags);
        }
        zeroFlags(flags);
        flags.add("--micro-batch-size " + s.microBatch());
        flags.add("--global-batch-size " + plan.settings().batch().global());
        flags.add("--seq-length " + plan.settings().sequence());
        recomputeFlags(flags);
        precisionFlags(flags);
        stateFlags(flags);
        boolean isOrdered = s.zero() < 2 && (s.tensor() > 1 || s.context() > 1);
        return "#!/bin/sh\n# " + label(s) + "\n# torchrun pretrain_gpt.py with the flags of model and data, and these\n"
                + (isOrdered ? "export CUDA_DEVICE_MAX_CONNECTIONS=1 # up to Hopper\n" : "")
                + "PARALLEL_FLAGS='" + String.join("\n  ", flags) + "'\n";
    }

    private void precisionFlags(List<String> flags) {
        TrainPlanSettings.TrainingPrecision precision = plan.settings().precision();
        flags.add(
                switch (precision) {
                    case BF16 -> "--bf16";
                    case NVFP4 -> "--bf16 --fp4-format e2m1 --fp4-recipe nvfp4";
                    default -> "--bf16 --fp8-format hybrid";
                });
        switch (precision) {
            case FP8_TENSORWISE -> flags.add("--fp8-recipe tensorwise");
            case MXFP8 -> flags.add("--fp8-recipe mxfp8");
            default -> {}
        }
    }

    /** Adds flags for the precision of states and activations, and the limits of Megatron-LM. */
    private void stateFlags(List<String> flags) {
        TrainPlanSettings.SoftwareSettings software = plan.settings().software();
        if (software.gradientBytes() == 2) {
            flags.add("--grad-reduce-in-bf16");
        }
        if (software.fp8Weights()) {
            flags.add("--fp8-param-gather");
        }
        if (software.momentBytes() < 4) {
            flags.add("--use-precision-aware-optimizer --exp-avg-dtype bf16 --exp-avg-sq-dtype bf16");
        }
        if (software.fp8Activations()) {
            if (plan.settings().model().gatedMlp()) {
                flags.add("--activation-func-fp8-input-store");
            } else {
                limits.add("Megatron-LM: stores inputs of activation functions in 8 bits only for SwiGLU"
                        + " (--activation-func-fp8-input-store); the flags use 16 bits");
            }
        }
    }

    private void overlapFlags(List<String> flags) {
        if (plan.settings().software().overlaps().overlapExpert() && s.expert() > 1) {
            flags.add("--overlap-moe-expert-parallel-comm");
        }
    }

    private void zeroFlags(List<String> flags) {
        if (s.zero() == 1) {
            flags.add("--use-distributed-optimizer");
        } else if (s.zero() >= 2) {
            flags.add("--use-megatron-fsdp");
            flags.add("--data-parallel-sharding-strategy " + (s.zero() == 3 ? "optim_grads_params" : "optim_grads"));
            flags.add("--ckpt-format fsdp_dtensor");
        }
        if (s.zero() > 0 && groups() > 1) {
            flags.add("--num-distributed-optimizer-instances " + groups());
        }
        if (plan.settings().software().overlaps().overlapData() && s.zero() < 2 && s.replicas() > 1) {
            flags.add("--overlap-grad-reduce");
            if (s.zero() == 1) {
                flags.add("--overlap-param-gather");
            }
        }
        if (plan.settings().software().overlaps().overlapTensor() && s.isSequence()) {
            flags.add("--tp-comm-overlap");
        }
    }

    private void recomputeFlags(List<String> flags) {
        switch (s.recompute()) {
            case FULL -> flags.add("--recompute-granularity full --recompute-method uniform --recompute-num-layers 1");
            case HALF -> {
                flags.add("--recompute-granularity full --recompute-method block --recompute-num-layers "
                        + recomputedLayers());
            }
            case POINTWISE, MODULES, SELECTIVE ->
                flags.add("--recompute-granularity selective --recompute-modules " + String.join(" ", modules()));
            default -> {}
        }
    }

    /** Returns the number of recomputed layers per stage. */
    private int recomputedLayers() {
        return Math.max(1, layout.layers(0) / 2);
    }

    /** Returns the recomputed modules of Megatron Core. */
    private List<String> modules() {
        List<String> modules = new ArrayList<>();
        switch (s.recompute()) {
            case SELECTIVE -> modules.add("core_attn");
            case MODULES -> modules.add(plan.request().model().isMixture() ? "moe" : "mlp");
            default -> {
                modules.addAll(List.of("layernorm", "moe_act"));
                if (plan.request().model().isLatent()) {
                    modules.add("mla_up_proj");
                }
            }
        }
        return modules;
    }

    private String nemo() {
        JsonObjectBuilder strategy = JsonValue.object()
                .put("tensor_model_parallel_size", (long) s.tensor())
                .put("sequence_parallel", s.isSequence())
                .put("pipeline_model_parallel_size", (long) s.pipeline())
                .put("context_parallel_size", (long) s.context())
                .put("expert_model_parallel_size", (long) s.expert())
                .put("expert_tensor_parallel_size", (long) s.expertTensor())
                .put(
                        "ddp",
                        JsonValue.object()
                                .put("use_distributed_optimizer", s.zero() >= 1)
                                .build());
        if (s.virtual() > 1) {
            strategy.put("virtual_pipeline_model_parallel_size", (long) s.virtual());
        }
        JsonObjectBuilder data = JsonValue.object()
                .put("micro_batch_size", (long) s.microBatch())
                .put("global_batch_size", (long) plan.settings().batch().global())
                .put("seq_length", (long) plan.settings().sequence());
        if (plan.settings().precision() != TrainPlanSettings.TrainingPrecision.BF16) {
            limits.add("NeMo: the file does not choose a precision");
        }
        if (s.zero() >= 2) {
            limits.add("NeMo: the file shards only the optimizer; ZeRO " + s.zero() + " requires the FSDP strategy");
        }
        if (s.pipeline() > 1 && isUneven()) {
            limits.add("NeMo: the uneven layout is " + layoutText() + " (pipeline_model_parallel_layout)");
        }
        JsonObjectBuilder file = JsonValue.object()
                .put(
                        "trainer",
                        JsonValue.object().put("strategy", strategy.build()).build())
                .put("data", data.build());
        if (s.recompute() != Recompute.NONE) {
            file.put("model", nemoRecompute());
        }
        return "# " + label(s) + "\n" + YamlText.of(file.build());
    }

    private JsonValue nemoRecompute() {
        JsonObjectBuilder model = JsonValue.object();
        if (s.recompute() == Recompute.FULL || s.recompute() == Recompute.HALF) {
            boolean isFull = s.recompute() == Recompute.FULL;
            return model.put("recompute_granularity", "full")
                    .put("recompute_method", isFull ? "uniform" : "block")
                    .put("recompute_num_layers", (long) (isFull ? 1 : recomputedLayers()))
                    .build();
        }
        return model.put("recompute_granularity", "selective")
                .put(
                        "recompute_modules",
                        JsonValue.of(modules().stream().map(JsonValue::of).toList()))
                .build();
    }

    private String torchtitan() {
        int copies = s.zero() == 0 ? s.data() : groups();
        StringBuilder out = new StringBuilder("# " + label(s) + "\n[parallelism]\n");
        pair(out, "data_parallel_replicate_degree", copies);
        pair(out, "data_parallel_shard_degree", Math.max(1, s.data() / copies));
        if (s.zero() >= 2) {
            pair(out, "fsdp_reshard_after_forward", s.zero() == 2 ? "\"never\"" : "\"always\"");
        }
        pair(out, "tensor_parallel_degree", s.tensor());
        pair(out, "pipeline_parallel_degree", s.pipeline());
        pair(out, "context_parallel_degree", s.context());
        pair(out, "expert_parallel_degree", s.expert());
        if (s.pipeline() > 1) {
            pair(out, "pipeline_parallel_schedule", '"' + torchSchedule() + '"');
            pair(out, "pipeline_parallel_microbatch_size", s.microBatch());
            if (s.virtual() > 1) {
                pair(out, "pipeline_parallel_layers_per_stage", layout.layers(0));
            }
            if (isUneven()) {
                limits.add("torchtitan: distributes layers by its own rule instead of " + layoutText());
            }
        }
        out.append("\n[training]\n");
        int local = plan.settings().batch().global() / s.data();
        pair(out, "local_batch_size", s.pipeline() > 1 ? local : s.microBatch());
        pair(out, "global_batch_size", plan.settings().batch().global());
        pair(out, "seq_len", plan.settings().sequence());
        torchRecompute(out);
        if (plan.settings().precision() != TrainPlanSettings.TrainingPrecision.BF16) {
            limits.add("torchtitan: the file trains in bf16; its converters choose other precisions");
        }
        return out.toString();
    }

    private void torchRecompute(StringBuilder out) {
        out.append("\n[activation_checkpoint]\n");
        pair(
                out,
                "mode",
                switch (s.recompute()) {
                    case NONE -> "\"none\"";
                    case FULL -> "\"full\"";
                    default -> "\"selective\"";
                });
        if (s.recompute() == Recompute.HALF || s.recompute() == Recompute.OPERATORS) {
            pair(out, "selective_ac_option", s.recompute() == Recompute.HALF ? "\"2\"" : "\"op\"");
        }
    }

    private String torchSchedule() {
        return switch (s.schedule()) {
            case GPIPE -> "GPipe";
            case INTERLEAVED -> "Interleaved1F1B";
            case ZB_V -> "ZBVZeroBubble";
            case DUALPIPE_V -> "DualPipeV";
            default -> "1F1B";
        };
    }

    private static void pair(StringBuilder out, String key, Object value) {
        out.append(key).append(" = ").append(value).append('\n');
    }

    private String deepSpeed() {
        if (s.recompute() != Recompute.NONE) {
            limits.add(
                    "DeepSpeed: recomputation must be set in the model code; without it a device uses more memory than planned");
        }
        if (s.pipeline() > 1 || s.expert() > 1) {
            limits.add("DeepSpeed: stages and experts are defined in the model code (PipelineModule, MoE)");
        }
        JsonObjectBuilder zero = JsonValue.object()
                .put("stage", (long) s.zero())
                .put("overlap_comm", plan.settings().software().overlaps().overlapData());
        if (s.zero() == 3 && groups() > 1) {
            zero.put("mics_shard_size", (long) s.shardGroup());
        }
        int global = plan.settings().batch().global();
        return Json.pretty(JsonValue.object()
                .put("train_batch_size", (long) global)
                .put("train_micro_batch_size_per_gpu", (long) s.microBatch())
                .put("gradient_accumulation_steps", (long) s.microBatches(global))
                .put("bf16", JsonValue.object().put("enabled", true).build())
                .put("zero_optimization", zero.build())
                .put(
                        "tensor_parallel",
                        JsonValue.object().put("autotp_size", (long) s.tensor()).build())
                .put("sequence_parallel_size", (long) s.context())
                .build());
    }
}
