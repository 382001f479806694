package dev.stagesim.feature.plan;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.YamlText;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Shell;
import dev.stagesim.model.card.Precision;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Kind;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes the command line of an engine for a deployment, and a Kubernetes manifest for its copies. */
final class EngineFiles {
    static final String COMMAND = "command.sh";
    static final String MANIFEST = "kubernetes.yaml";
    private static final int HOST = 8;
    private static final int RACK_HOST = 4;
    private static final int ROUND = 1024;
    private static final int PORT = 8000;
    private static final String CHECKPOINT = "CHECKPOINT";
    private static final String SECRET = "hf-token";
    private static final String CONFIG = "extra_llm_api_options.yaml";

    private final PlanSettings settings;
    private final EngineChoice deployment;
    private final Shape shape;
    private final int replicas;
    private final int length;
    private final ReplicaModel replica;

    /** @param longest tokens of the longest request */
    EngineFiles(PlanSettings settings, EngineChoice deployment, int replicas, int longest) {
        this.settings = settings;
        this.deployment = deployment;
        this.shape = deployment.shape();
        this.replicas = replicas;
        replica = deployment.replica(settings.model(), settings.hardware(), settings.memoryUtilization(), longest);
        length = Math.min(settings.model().maxPosition(), (longest + ROUND - 1) / ROUND * ROUND);
    }

    /** Returns the content of each file by name. */
    Map<String, String> all() {
        Map<String, String> files = new LinkedHashMap<>();
        files.put(COMMAND, script(command()));
        config().ifPresent(text -> files.put(CONFIG, text));
        if (nodes() == 1) {
            files.put(MANIFEST, manifest());
        }
        return files;
    }

    /**
     * Returns the script of a vLLM instance in a disaggregated pool.
     *
     * @param isPrefill true if the instance sends the KV cache, false if it receives it
     */
    String disaggregated(boolean isPrefill) {
        String role = isPrefill ? "kv_producer" : "kv_consumer";
        List<String> flags = new ArrayList<>(command());
        flags.add("--kv-transfer-config '{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"" + role + "\"}'");
        return script(flags);
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

    private String model() {
        return needsCheckpoint()
                ? "\"${CHECKPOINT:?a checkpoint with " + EngineChoice.name(shape.weights()) + " weights}\""
                : Shell.operand(settings.model().name());
    }

    /** Returns the command and its flags; the first element is the command. */
    List<String> command() {
        return isVllm() ? vllm() : isSglang() ? sglang() : trtllm();
    }

    private List<String> vllm() {
        List<String> flags = new ArrayList<>();
        flags.add("vllm serve " + model());
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
        flags.add("--max-num-seqs " + deployment.maxNumSeqs());
        flags.add("--max-num-batched-tokens " + deployment.maxNumBatchedTokens());
        flags.add("--max-model-len " + length);
        flags.add("--gpu-memory-utilization " + Numbers.plain(replica.memoryShare()));
        if (isQuantised() && shape.weights() == Precision.FP8) {
            flags.add("--quantization fp8_per_tensor");
        }
        if (shape.kv() == Precision.FP8) {
            flags.add("--kv-cache-dtype fp8");
        }
        if (nodes() > 1) {
            flags.add("--distributed-executor-backend ray");
            if (shape.layout().dp() > 1) {
                flags.add("--data-parallel-backend ray");
            }
        }
        flags.add("--port " + PORT);
        return flags;
    }

    private List<String> sglang() {
        List<String> flags = new ArrayList<>();
        flags.add("python3 -m sglang.launch_server --model-path " + model());
        flags.add("--tp-size " + shape.tp());
        flags.add("--pp-size " + shape.pp());
        flags.add("--max-running-requests " + deployment.maxNumSeqs());
        flags.add("--chunked-prefill-size " + deployment.maxNumBatchedTokens());
        flags.add("--max-prefill-tokens " + deployment.maxNumBatchedTokens());
        flags.add("--context-length " + length);
        flags.add("--mem-fraction-static " + Numbers.plain(replica.memoryShare()));
        if (isQuantised() && shape.weights() == Precision.FP8) {
            flags.add("--quantization fp8");
        }
        if (shape.kv() == Precision.FP8) {
            flags.add("--kv-cache-dtype fp8_e4m3");
        }
        if (nodes() > 1) {
            flags.add("--nnodes " + nodes() + " --node-rank ${NODE_RANK} --dist-init-addr ${LEADER}:20000");
        }
        flags.add("--host 0.0.0.0 --port " + PORT);
        return flags;
    }

    private List<String> trtllm() {
        List<String> flags = new ArrayList<>();
        flags.add("trtllm-serve " + model());
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
        flags.add("--extra_llm_api_options " + CONFIG);
        flags.add("--host 0.0.0.0 --port " + PORT);
        return flags;
    }

    /** Returns the options of TensorRT-LLM that have no flag. */
    private Optional<String> config() {
        if (isVllm() || isSglang()) {
            return Optional.empty();
        }
        return Optional.of("enable_chunked_prefill: true\n"
                + (shape.layout().dp() > 1 ? "enable_attention_dp: true\n" : "") + "kv_cache_config:\n  dtype: "
                + (shape.kv() == Precision.FP8 ? "fp8" : "auto") + "\n  free_gpu_memory_fraction: "
                + Numbers.plain(replica.memoryShare())
                + "\ncuda_graph_config:\n  enable_padding: true\n  max_batch_size: "
                + deployment.maxNumSeqs() + "\n");
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
                        : "nvcr.io/nvidia/tensorrt-llm/release:1.0.0";
    }

    /** Returns the environment of the container: the checkpoint, if required, and the Hugging Face token. */
    private JsonValue environment() {
        List<JsonValue> variables = new ArrayList<>();
        if (needsCheckpoint()) {
            variables.add(JsonValue.object()
                    .put("name", CHECKPOINT)
                    .put("value", "A-CHECKPOINT-WITH-" + shape.weights().name() + "-WEIGHTS")
                    .build());
        }
        JsonObjectBuilder secret =
                JsonValue.object().put("name", SECRET).put("key", "token").put("optional", true);
        variables.add(JsonValue.object()
                .put("name", "HF_TOKEN")
                .put("valueFrom", JsonValue.object().put("secretKeyRef", secret))
                .build());
        return JsonValue.of(variables);
    }

    private String comments() {
        StringBuilder comments = new StringBuilder("# The flags were checked with this version of the image.\n");
        notes().forEach(note ->
                comments.append("# ").append(Shell.comment(note)).append('\n'));
        if (needsCheckpoint()) {
            comments.append("# Set the value of " + CHECKPOINT + " in env.\n");
        }
        return comments
                + "# A gated model needs a token: kubectl create secret generic " + SECRET
                + " --from-literal=token=YOUR_TOKEN\n";
    }

    private String manifest() {
        String name = PathPart.label("plan-" + settings.model().family());
        JsonValue app = JsonValue.object().put("app", name).build();
        JsonObjectBuilder workload = resource("apps/v1", "Deployment", name)
                .put(
                        "spec",
                        JsonValue.object()
                                .put("replicas", replicas)
                                .put("selector", JsonValue.object().put("matchLabels", app))
                                .put(
                                        "template",
                                        JsonValue.object()
                                                .put(
                                                        "metadata",
                                                        JsonValue.object().put("labels", app))
                                                .put("spec", pod()))
                                .build());
        JsonObjectBuilder service = resource("v1", "Service", name)
                .put(
                        "spec",
                        JsonValue.object()
                                .put("selector", app)
                                .put(
                                        "ports",
                                        one(JsonValue.object().put("port", 80).put("targetPort", PORT)))
                                .build());
        return comments() + YamlText.of(workload.build(), service.build());
    }

    private static JsonObjectBuilder resource(String version, String kind, String name) {
        return JsonValue.object()
                .put("apiVersion", version)
                .put("kind", kind)
                .put("metadata", JsonValue.object().put("name", name));
    }

    private static JsonValue one(JsonObjectBuilder item) {
        return JsonValue.of(List.of(item.build()));
    }

    private JsonValue pod() {
        StringBuilder script = new StringBuilder();
        config().ifPresent(text ->
                script.append("cat > " + CONFIG + " <<END\n").append(text).append("END\n"));
        script.append("exec ").append(String.join(" \\\n  ", command())).append('\n');
        JsonObjectBuilder probe = JsonValue.object()
                .put("httpGet", JsonValue.object().put("path", "/health").put("port", PORT))
                .put("periodSeconds", 10)
                .put("failureThreshold", 180);
        JsonObjectBuilder limits = JsonValue.object().put(isAmd() ? "amd.com/gpu" : "nvidia.com/gpu", shape.devices());
        JsonObjectBuilder container = JsonValue.object()
                .put("name", "engine")
                .put("image", image())
                .put("command", JsonValue.strings(List.of("/bin/sh", "-c")))
                .put("args", JsonValue.strings(List.of(script.toString())))
                .put("env", environment())
                .put("ports", one(JsonValue.object().put("containerPort", PORT)))
                .put("readinessProbe", probe)
                .put("resources", JsonValue.object().put("limits", limits))
                .put("volumeMounts", one(JsonValue.object().put("name", "shm").put("mountPath", "/dev/shm")));
        JsonObjectBuilder memory = JsonValue.object()
                .put("name", "shm")
                .put("emptyDir", JsonValue.object().put("medium", "Memory").put("sizeLimit", "16Gi"));
        return JsonValue.object()
                .put("containers", one(container))
                .put("volumes", one(memory))
                .build();
    }
}
