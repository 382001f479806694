package dev.stagesim.feature.plan;

import dev.stagesim.feature.plan.deploy.DeploymentFormats;
import dev.stagesim.feature.plan.deploy.EngineLaunch;
import dev.stagesim.feature.plan.deploy.EngineLaunch.Role;
import dev.stagesim.feature.plan.deploy.PoolFrontend;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Shell;
import dev.stagesim.model.card.Precision;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Kind;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.settings.Speculation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes the command line of an engine for a deployment, and deployment files for its copies. */
final class EngineFiles {
    private static final String COMMAND = "command.sh";
    private static final String HEAD = "EAGLE-HEAD";
    private static final int HOST = 8;
    private static final int RACK_HOST = 4;
    private static final int ROUND = 1024;

    private final PlanSettings settings;
    private final EngineChoice deployment;
    private final Shape shape;
    private final int replicas;
    private final int longest;
    private final int length;
    private final ReplicaModel replica;

    /** Router of the copies; empty for round robin. */
    private final String router;

    /** @param longest tokens of the longest request */
    EngineFiles(PlanSettings settings, EngineChoice deployment, int replicas, int longest) {
        this(settings, deployment, replicas, longest, "");
    }

    private EngineFiles(PlanSettings settings, EngineChoice deployment, int replicas, int longest, String router) {
        this.longest = longest;
        this.router = router;
        this.settings = settings;
        this.deployment = deployment;
        this.shape = deployment.shape();
        this.replicas = replicas;
        replica = deployment.replica(settings.model(), settings.hardware(), settings.memoryUtilization(), longest);
        length = Math.min(settings.model().maxPosition(), (longest + ROUND - 1) / ROUND * ROUND);
    }

    /** Returns the files of the same copies behind another router than round robin. */
    EngineFiles behind(String otherRouter) {
        return new EngineFiles(settings, deployment, replicas, longest, otherRouter);
    }

    /** Returns the content of each file by name. */
    Map<String, String> all() {
        Map<String, String> files = new LinkedHashMap<>();
        EngineLaunch launch = launch(Role.WHOLE);
        files.put(COMMAND, script(launch.command()));
        launch.config().ifPresent(text -> files.put(Role.WHOLE.config(), text));
        if (nodes() == 1) {
            files.putAll(DeploymentFormats.files(List.of(launch(Role.WHOLE))));
        }
        return files;
    }

    /** Returns the engines of this deployment with a role. */
    private EngineLaunch launch(Role role) {
        return new EngineLaunch(
                role,
                deployment,
                settings.model(),
                model(),
                flags(role),
                config(role),
                image(),
                replicas,
                isAmd(),
                needsCheckpoint(),
                notes(),
                checkpointBytes());
    }

    /** Returns the files of a prefill pool and a decode pool, by name. */
    static Map<String, String> ofPools(EngineFiles prefill, EngineFiles decode) {
        Map<String, String> files = new LinkedHashMap<>();
        EngineLaunch prompts = prefill.launch(Role.PREFILL);
        EngineLaunch outputs = decode.launch(Role.DECODE);
        files.put("prompts.sh", prefill.disaggregated(prompts));
        files.put("outputs.sh", decode.disaggregated(outputs));
        for (EngineLaunch launch : List.of(prompts, outputs)) {
            launch.config().ifPresent(text -> files.put(launch.role().config(), text));
        }
        files.putAll(PoolFrontend.files(prompts, outputs));
        if (prefill.nodes() == 1 && decode.nodes() == 1) {
            files.putAll(DeploymentFormats.files(List.of(prompts, outputs)));
        }
        return files;
    }

    private String disaggregated(EngineLaunch launch) {
        List<String> command = new ArrayList<>(launch.command());
        command.addAll(launch.transfer());
        return script(command);
    }

    private String script(List<String> command) {
        StringBuilder script = new StringBuilder("#!/bin/sh\n# "
                + (replicas == 1 ? "The only copy: " : "One of " + replicas + " copies: ") + shape.words() + " on "
                + shape.devices() + " × "
                + Shell.comment(settings.hardware().name()) + ".\n");
        notes().forEach(note -> script.append("# ").append(Shell.comment(note)).append('\n'));
        return script + String.join(" \\\n  ", command) + "\n";
    }

    private boolean isVllm() {
        return shape.kind() == Kind.VLLM;
    }

    private boolean isSglang() {
        return shape.kind() == Kind.SGLANG;
    }

    /** Returns the number of hosts per copy. Hosts in a rack-scale NVLink domain have four devices. */
    private int nodes() {
        int host = settings.hardware().scaleup().scaleupDomain().orElse(HOST) > HOST ? RACK_HOST : HOST;
        return (shape.devices() + host - 1) / host;
    }

    /** True if the plan stores weights in another precision than the checkpoint. */
    private boolean isQuantised() {
        return shape.weights() != settings.model().formats().weights();
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (needsCheckpoint()) {
            notes.add("Requires a checkpoint with " + EngineChoice.name(shape.weights())
                    + " weights; no flag converts one.");
        }
        if (needsHead()) {
            notes.add("Replace " + HEAD + " by a checkpoint of an EAGLE head for the model.");
        }
        if (!router.isEmpty()) {
            notes.add("Requires the router " + router
                    + " between clients and copies: the number of copies depends on it.");
        }
        if (nodes() > 1) {
            notes.add("A copy spans " + nodes() + " nodes, so no manifest is written: "
                    + (isVllm()
                            ? "connect the nodes with Ray (ray start) and run this script on the first one."
                            : isSglang()
                                    ? "run this script on each node, with NODE_RANK counting from 0 and LEADER set to the address of the first node."
                                    : "run this script with trtllm-llmapi-launch under Slurm or mpirun."));
        }
        return notes;
    }

    /** True if no engine flag converts the checkpoint to the precision of the plan. */
    private boolean needsCheckpoint() {
        return isQuantised() && (shape.weights() != Precision.FP8 || !(isVllm() || isSglang()));
    }

    /** Returns the bytes of the checkpoint, which an engine may store in a smaller format when it loads it. */
    private long checkpointBytes() {
        return needsCheckpoint()
                ? (long) replica.weightBytes()
                : settings.model().size().weightBytes();
    }

    private String model() {
        return needsCheckpoint()
                ? "\"${CHECKPOINT:?a checkpoint with " + EngineChoice.name(shape.weights()) + " weights}\""
                : Shell.operand(settings.model().name());
    }

    private List<String> flags(Role role) {
        return isVllm() ? vllm() : isSglang() ? sglang() : trtllm(role);
    }

    private List<String> vllm() {
        List<String> flags = new ArrayList<>();
        flags.add("--tensor-parallel-size " + shape.tp());
        flags.add("--pipeline-parallel-size " + shape.pp());
        if (shape.layout().dp() > 1) {
            flags.add("--data-parallel-size " + shape.layout().dp());
        }
        if (shape.layout().isExpertParallel()) {
            flags.add("--enable-expert-parallel");
        }
        if (shape.layout().prefillInterval() > 1) {
            flags.add("--prefill-schedule-interval " + shape.layout().prefillInterval());
        }
        if (shape.drafting().tokens() > 0) {
            flags.add("--speculative-config '{\"method\":\"" + method() + "\"," + head() + "\"num_speculative_tokens\":"
                    + shape.drafting().tokens() + "}'");
        }
        flags.add("--max-num-seqs " + deployment.maxNumSeqs());
        flags.add("--max-num-batched-tokens " + deployment.maxNumBatchedTokens());
        flags.add("--max-model-len " + length);
        flags.add("--gpu-memory-utilization " + Numbers.plain(replica.memoryShare()));
        if (isQuantised() && shape.weights() == Precision.FP8) {
            flags.add("--quantization fp8_per_tensor");
        }
        cache().ifPresent(format -> flags.add("--kv-cache-dtype " + format));
        if (nodes() > 1) {
            flags.add("--distributed-executor-backend ray");
            if (shape.layout().dp() > 1) {
                flags.add("--data-parallel-backend ray");
            }
        }
        return flags;
    }

    /** Returns the engine's name of the format of the KV cache; empty if it is that of the model or has its own flag. */
    private Optional<String> cache() {
        return switch (shape.kv()) {
            case FP8 -> Optional.of(isSglang() ? "fp8_e4m3" : "fp8");
            case NVFP4 -> Optional.of(isSglang() ? "fp4_e2m1" : "nvfp4");
            case INT8, INT4 ->
                isVllm() ? Optional.of(KeyNames.constant(shape.kv()) + "_per_token_head") : Optional.empty();
            default -> Optional.empty();
        };
    }

    private String method() {
        return KeyNames.constant(shape.drafting().method());
    }

    private boolean needsHead() {
        return shape.drafting().tokens() > 0 && shape.drafting().method() != Speculation.Method.MTP;
    }

    /** Returns the checkpoint of the draft head for vLLM, if the model does not contain it. */
    private String head() {
        return needsHead() ? "\"model\":\"" + HEAD + "\"," : "";
    }

    private List<String> sglang() {
        List<String> flags = new ArrayList<>();
        int engines = shape.layout().dp();
        flags.add("--tp-size " + shape.tp() * engines);
        flags.add("--pp-size " + shape.pp());
        if (engines > 1) {
            flags.add("--attn-dp-size " + engines);
        }
        if (shape.layout().isExpertParallel()) {
            flags.add("--ep-size " + shape.tp() * engines);
            if (engines > 1) {
                flags.add("--moe-a2a-backend deepep");
            }
        }
        flags.add("--max-running-requests " + deployment.maxNumSeqs() * engines); // SGLang divides both limits
        flags.add("--chunked-prefill-size " + deployment.maxNumBatchedTokens() * engines);
        flags.add("--max-prefill-tokens " + deployment.maxNumBatchedTokens());
        flags.add("--context-length " + length);
        flags.add("--mem-fraction-static " + Numbers.plain(replica.memoryShare()));
        if (isQuantised() && shape.weights() == Precision.FP8) {
            flags.add("--quantization fp8");
        }
        cache().ifPresent(format -> flags.add("--kv-cache-dtype " + format));
        if (shape.kv() == Precision.INT8) {
            flags.add("--int8-kv-cache --attention-backend triton --page-size 1");
        }
        if (nodes() > 1) {
            flags.add("--nnodes " + nodes() + " --node-rank ${NODE_RANK} --dist-init-addr ${LEADER}:20000");
        }
        return flags;
    }

    private List<String> trtllm(Role role) {
        List<String> flags = new ArrayList<>();
        flags.add("--backend pytorch");
        flags.add("--tp_size " + shape.tp() * shape.layout().dp());
        flags.add("--pp_size " + shape.pp());
        if (shape.layout().isExpertParallel()) {
            flags.add("--ep_size " + shape.tp() * shape.layout().dp());
        }
        flags.add("--max_batch_size " + deployment.maxNumSeqs());
        flags.add("--max_num_tokens " + deployment.maxNumBatchedTokens());
        flags.add("--max_seq_len " + length);
        flags.add("--kv_cache_free_gpu_memory_fraction " + Numbers.plain(replica.memoryShare()));
        flags.add("--extra_llm_api_options " + role.config());
        return flags;
    }

    /** Returns the options of TensorRT-LLM that have no flag. */
    private Optional<String> config(Role role) {
        if (isVllm() || isSglang()) {
            return Optional.empty();
        }
        return Optional.of("enable_chunked_prefill: true\n"
                + (shape.layout().dp() > 1 ? "enable_attention_dp: true\n" : "") + "kv_cache_config:\n  dtype: "
                + cache().orElse("auto") + "\n  free_gpu_memory_fraction: "
                + Numbers.plain(replica.memoryShare())
                + "\ncuda_graph_config:\n  enable_padding: true\n  max_batch_size: "
                + deployment.maxNumSeqs() + "\n" + speculation() + transceiver(role));
    }

    /** Returns the options of TensorRT-LLM for drafts. */
    private String speculation() {
        int drafts = shape.drafting().tokens();
        return drafts == 0
                ? ""
                : "speculative_config:\n  decoding_type: "
                        + (needsHead()
                                ? "Eagle3\n  max_draft_len: " + drafts + "\n  speculative_model: " + HEAD
                                : "MTP\n  num_nextn_predict_layers: " + drafts)
                        + "\n";
    }

    /** Returns the options of TensorRT-LLM for the transfer of KV caches; context servers cannot overlap scheduling. */
    private String transceiver(Role role) {
        return role == Role.WHOLE
                ? ""
                : (role == Role.PREFILL ? "disable_overlap_scheduler: true\n" : "")
                        + "cache_transceiver_config:\n  backend: DEFAULT\n  max_tokens_in_buffer: " + length + "\n";
    }

    private boolean isAmd() {
        return settings.hardware().device().vendor().equals("AMD");
    }

    /** Returns the image of the version for which the flags were checked. */
    private String image() {
        return isVllm()
                ? (isAmd() ? "vllm/vllm-openai-rocm:" : "vllm/vllm-openai:") + "v0.33.0"
                : isSglang()
                        ? "lmsysorg/sglang:" + (isAmd() ? "A-TAG-FOR-ROCM" : "v0.5.23")
                        : "nvcr.io/nvidia/tensorrt-llm/release:1.2.1";
    }
}
