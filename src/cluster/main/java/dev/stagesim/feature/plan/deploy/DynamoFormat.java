package dev.stagesim.feature.plan.deploy;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.YamlText;
import dev.stagesim.serving.EngineChoice.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A DynamoGraphDeployment of NVIDIA Dynamo, {@code nvidia.com/v1beta1}. */
final class DynamoFormat implements DeploymentFormat {
    private static final String VERSION = "1.6.1";

    @Override
    public String file() {
        return "dynamo.yaml";
    }

    @Override
    public Optional<String> text(List<EngineLaunch> pools) {
        EngineLaunch first = pools.get(0);
        if (pools.stream().anyMatch(EngineLaunch::isAmd)) {
            return Optional.empty();
        }
        List<JsonValue> components = new ArrayList<>();
        JsonObjectBuilder frontend = JsonValue.object().put("name", "main").put("image", image(first));
        components.add(JsonValue.object()
                .put("name", "Frontend")
                .put("type", "frontend")
                .put("replicas", 1)
                .put(
                        "podTemplate",
                        JsonValue.object()
                                .put("spec", JsonValue.object().put("containers", EngineLaunch.one(frontend))))
                .build());
        pools.forEach(pool -> components.add(component(pool)));
        JsonObjectBuilder graph = EngineLaunch.resource("nvidia.com/v1beta1", "DynamoGraphDeployment", first.name())
                .put(
                        "spec",
                        JsonValue.object()
                                .put(
                                        "backendFramework",
                                        first.deployment().shape().kind().beginning())
                                .put("components", JsonValue.of(components)));
        String about = "Requires the operator of Dynamo " + VERSION + " (DynamoGraphDeployment v1beta1).";
        return Optional.of(first.comments(about, "token") + YamlText.of(graph.build()));
    }

    private static String image(EngineLaunch launch) {
        String runtime =
                switch (launch.deployment().shape().kind()) {
                    case VLLM -> "vllm-runtime";
                    case SGLANG -> "sglang-runtime";
                    case TRTLLM -> "tensorrtllm-runtime";
                };
        return "nvcr.io/nvidia/ai-dynamo/" + runtime + ":" + VERSION;
    }

    private static JsonValue component(EngineLaunch launch) {
        String type = launch.role() == EngineLaunch.Role.WHOLE
                ? "worker"
                : launch.role().id();
        JsonObjectBuilder container = launch.container("main", image(launch), launch.script(command(launch)));
        return JsonValue.object()
                .put("name", Character.toUpperCase(type.charAt(0)) + type.substring(1))
                .put("type", type)
                .put("replicas", launch.replicas())
                .put("sharedMemorySize", EngineLaunch.SHARED_MEMORY) // the operator mounts it
                .put(
                        "podTemplate",
                        JsonValue.object()
                                .put("spec", JsonValue.object().put("containers", EngineLaunch.one(container))))
                .build();
    }

    private static List<String> command(EngineLaunch launch) {
        Kind kind = launch.deployment().shape().kind();
        List<String> command = new ArrayList<>();
        String model = kind == Kind.SGLANG ? " --model-path " : " --model ";
        command.add("python3 -m dynamo." + kind.beginning() + model + launch.operand());
        if (kind == Kind.TRTLLM) {
            launch.flags().stream()
                    .map(DynamoFormat::trtllm)
                    .flatMap(Optional::stream)
                    .forEach(command::add);
        } else {
            command.addAll(launch.flags());
        }
        if (launch.role() != EngineLaunch.Role.WHOLE && kind != Kind.SGLANG) {
            command.add("--disaggregation-mode " + launch.role().id());
        }
        command.addAll(launch.transfer());
        return command;
    }

    /** Returns a flag of {@code trtllm-serve} in the spelling of Dynamo's worker; empty if the worker has none. */
    private static Optional<String> trtllm(String flag) {
        int end = flag.indexOf(' ');
        String value = flag.substring(end);
        return switch (flag.substring(0, end)) {
            case "--backend" -> Optional.empty();
            case "--tp_size" -> Optional.of("--tensor-parallel-size" + value);
            case "--pp_size" -> Optional.of("--pipeline-parallel-size" + value);
            case "--ep_size" -> Optional.of("--expert-parallel-size" + value);
            case "--kv_cache_free_gpu_memory_fraction" -> Optional.of("--free-gpu-memory-fraction" + value);
            case "--extra_llm_api_options" -> Optional.of("--extra-engine-args" + value);
            default -> Optional.of(flag.substring(0, end).replace('_', '-') + value);
        };
    }
}
