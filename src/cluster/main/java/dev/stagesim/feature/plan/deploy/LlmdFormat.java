package dev.stagesim.feature.plan.deploy;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.YamlText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Values of llm-d's Helm chart {@code llm-d-modelservice}, which starts vLLM with checkpoints from Hugging Face. */
final class LlmdFormat implements DeploymentFormat {
    /** Flags that the chart sets from its section parallelism. */
    private static final List<String> SET_BY_CHART = List.of("--tensor-parallel-size", "--data-parallel-size");

    @Override
    public String file() {
        return "llm-d-values.yaml";
    }

    @Override
    public Optional<String> text(List<EngineLaunch> pools) {
        boolean isSupported = pools.stream().allMatch(pool -> pool.isVllm() && !pool.needsCheckpoint());
        return isSupported ? Optional.of(values(pools)) : Optional.empty();
    }

    private static String values(List<EngineLaunch> pools) {
        boolean isSplit = pools.size() > 1;
        EngineLaunch decode = pools.get(pools.size() - 1);
        String name = decode.model().name();
        JsonObjectBuilder artifacts = JsonValue.object()
                .put("name", name)
                .put("uri", "hf://" + name)
                .put("size", decode.volumeSize())
                .put("authSecretName", EngineLaunch.SECRET);
        JsonObjectBuilder proxy = JsonValue.object().put("enabled", isSplit);
        if (isSplit) {
            proxy.put("connector", "nixlv2").put("secure", false);
        } else {
            proxy.put("targetPort", EngineLaunch.PORT);
        }
        JsonObjectBuilder values = JsonValue.object()
                .put("multinode", false)
                .put("modelArtifacts", artifacts)
                .put(
                        "routing",
                        JsonValue.object().put("servicePort", EngineLaunch.PORT).put("proxy", proxy))
                .put("accelerator", JsonValue.object().put("type", decode.isAmd() ? "amd" : "nvidia"))
                .put("decode", pool(decode, isSplit))
                .put(
                        "prefill",
                        isSplit ? pool(pools.get(0), true) : JsonValue.object().put("create", false));
        String about = "helm install NAME llm-d-modelservice/llm-d-modelservice -f llm-d-values.yaml";
        return decode.comments(about, "HF_TOKEN") + YamlText.of(values.build());
    }

    private static JsonObjectBuilder pool(EngineLaunch launch, boolean isSplit) {
        int engines = launch.deployment().shape().layout().dp();
        List<String> arguments = new ArrayList<>();
        for (String flag : launch.flags()) {
            String[] words = flag.split(" ", 2);
            if (!SET_BY_CHART.contains(words[0])) {
                for (String word : words) {
                    arguments.add(word.replaceAll("^'(.*)'$", "$1")); // no shell reads the arguments
                }
            }
        }
        JsonObjectBuilder container = JsonValue.object()
                .put("name", "vllm")
                .put("image", launch.image())
                .put("modelCommand", "vllmServe");
        if (isSplit) {
            boolean isPrefill = launch.role() == EngineLaunch.Role.PREFILL;
            arguments.addAll(List.of(
                    "--kv-transfer-config", EngineLaunch.transferConfig(isPrefill ? "kv_producer" : "kv_consumer")));
            JsonObjectBuilder address =
                    JsonValue.object().put("fieldRef", JsonValue.object().put("fieldPath", "status.podIP"));
            container.put(
                    "env",
                    EngineLaunch.one(JsonValue.object()
                            .put("name", "VLLM_NIXL_SIDE_CHANNEL_HOST")
                            .put("valueFrom", address)));
        }
        container.put("args", JsonValue.strings(arguments)).put("mountModelVolume", true);
        return JsonValue.object()
                .put("create", true)
                .put("replicas", launch.replicas())
                .put(
                        "parallelism",
                        JsonValue.object()
                                .put("tensor", launch.deployment().shape().tp())
                                .put("data", engines)
                                .put("dataLocal", engines)) // the chart's default of 1 gives a pod too few devices
                .put("containers", EngineLaunch.one(container));
    }
}
