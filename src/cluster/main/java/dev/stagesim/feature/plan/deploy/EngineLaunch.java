package dev.stagesim.feature.plan.deploy;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Shell;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.serving.EngineChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The copies of an engine that a deployment starts.
 *
 * @param role requests that the copies serve
 * @param model the model of the plan
 * @param operand checkpoint as a word of a shell
 * @param flags flags with their values, without model, host and port
 * @param config content of the options file of TensorRT-LLM
 * @param image container image of the engine
 * @param isAmd whether the devices are from AMD
 * @param needsCheckpoint whether the user must provide a converted checkpoint
 * @param notes what the user must know
 * @param checkpointBytes bytes of the weights in the checkpoint
 */
public record EngineLaunch(
        Role role,
        EngineChoice deployment,
        ModelCard model,
        String operand,
        List<String> flags,
        Optional<String> config,
        String image,
        int replicas,
        boolean isAmd,
        boolean needsCheckpoint,
        List<String> notes,
        long checkpointBytes) {
    public static final int PORT = 8000;

    /** Name of the variable with a converted checkpoint. */
    public static final String CHECKPOINT = "CHECKPOINT";

    /** Directory of downloaded models in the images of the engines, which run as root. */
    static final String MODEL_CACHE = "/root/.cache/huggingface";

    static final String SECRET = "hf-token";
    static final String SHARED_MEMORY = "16Gi";
    private static final double GIB = 1L << 30;

    /** Size of a model volume relative to the checkpoint. */
    private static final double SPACE = 1.3;

    /** Requests that an engine serves. */
    public enum Role {
        WHOLE("extra_llm_api_options.yaml"),
        PREFILL("prompts.yaml"),
        DECODE("outputs.yaml");

        private final String config;

        Role(String config) {
            this.config = config;
        }

        /** Returns the name of the options file of TensorRT-LLM. */
        public String config() {
            return config;
        }

        /** Returns the name in flags and manifests, such as {@code prefill}. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    String name() {
        return PathPart.label("plan-" + model.family());
    }

    int devices() {
        return deployment.shape().devices();
    }

    boolean isVllm() {
        return deployment.shape().kind() == EngineChoice.Kind.VLLM;
    }

    /** Returns the command of the engine and its flags; the first element is the command. */
    public List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(
                switch (deployment.shape().kind()) {
                    case VLLM -> "vllm serve " + operand;
                    case SGLANG -> "python3 -m sglang.launch_server --model-path " + operand;
                    case TRTLLM -> "trtllm-serve " + operand;
                });
        command.addAll(flags);
        command.add((isVllm() ? "" : "--host 0.0.0.0 ") + "--port " + PORT);
        return command;
    }

    /** Returns a shell script that writes the options file, if any, and runs a command. */
    String script(List<String> command) {
        StringBuilder script = new StringBuilder();
        config.ifPresent(text -> script.append("cat > ")
                .append(role.config())
                .append(" <<END\n")
                .append(text)
                .append("END\n"));
        return script.append("exec ")
                .append(String.join(" \\\n  ", command))
                .append('\n')
                .toString();
    }

    /**
     * Returns the flags that connect the engine to the other pool; empty for whole requests and for TensorRT-LLM, which uses
     * its options file.
     */
    public List<String> transfer() {
        if (role == Role.WHOLE) {
            return List.of();
        }
        return switch (deployment.shape().kind()) {
            case VLLM ->
                List.of("--kv-transfer-config '" + transferConfig(role == Role.PREFILL ? "kv_producer" : "kv_consumer")
                        + "'");
            case SGLANG -> List.of("--disaggregation-mode " + role.id(), "--disaggregation-transfer-backend nixl");
            case TRTLLM -> List.of();
        };
    }

    static String transferConfig(String role) {
        return "{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"" + role + "\"}";
    }

    /** Returns comment lines: notes, and how to create the secret with the Hugging Face token. */
    String comments(String about, String key) {
        StringBuilder comments = new StringBuilder("# " + about + "\n");
        notes.forEach(note -> comments.append("# ").append(Shell.comment(note)).append('\n'));
        if (needsCheckpoint) {
            comments.append("# Set the value of " + CHECKPOINT + ".\n");
        }
        return comments
                + "# A gated model needs a token: kubectl create secret generic " + SECRET + " --from-literal=" + key
                + "=YOUR_TOKEN\n";
    }

    private String checkpoint() {
        return "A-CHECKPOINT-WITH-" + deployment.shape().weights().name() + "-WEIGHTS";
    }

    /** Returns the environment of a container: the checkpoint, if required, and the Hugging Face token. */
    JsonValue environment() {
        List<JsonValue> variables = new ArrayList<>();
        if (needsCheckpoint) {
            variables.add(JsonValue.object()
                    .put("name", CHECKPOINT)
                    .put("value", checkpoint())
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

    /** Returns the environment of a Compose service. */
    JsonValue variables() {
        JsonObjectBuilder variables = JsonValue.object().put("HF_TOKEN", "${HF_TOKEN:-}");
        if (needsCheckpoint) {
            variables.put(CHECKPOINT, checkpoint());
        }
        return variables.build();
    }

    /** Returns a container that runs a script. */
    JsonObjectBuilder container(String name, String containerImage, String script) {
        JsonObjectBuilder limits = JsonValue.object().put(isAmd ? "amd.com/gpu" : "nvidia.com/gpu", devices());
        return JsonValue.object()
                .put("name", name)
                .put("image", containerImage)
                .put("command", JsonValue.strings(List.of("/bin/sh", "-c")))
                .put("args", JsonValue.strings(List.of(script)))
                .put("env", environment())
                .put("resources", JsonValue.object().put("limits", limits));
    }

    /** Returns the size of a volume for the checkpoint, such as {@code 21Gi}. */
    String volumeSize() {
        return (long) Math.ceil(SPACE * checkpointBytes / GIB) + "Gi";
    }

    static JsonObjectBuilder resource(String version, String kind, String name) {
        return JsonValue.object()
                .put("apiVersion", version)
                .put("kind", kind)
                .put("metadata", JsonValue.object().put("name", name));
    }

    static JsonValue one(JsonObjectBuilder item) {
        return JsonValue.of(List.of(item.build()));
    }
}
