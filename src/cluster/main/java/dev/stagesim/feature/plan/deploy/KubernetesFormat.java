package dev.stagesim.feature.plan.deploy;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.YamlText;
import java.util.List;
import java.util.Optional;

/** A Deployment, a Service and a volume for downloaded models of Kubernetes. Pools need a router, which Kubernetes does not have. */
final class KubernetesFormat implements DeploymentFormat {
    private static final String SHARED = "shm";
    private static final String MODELS = "models";

    @Override
    public String file() {
        return "kubernetes.yaml";
    }

    @Override
    public Optional<String> text(List<EngineLaunch> pools) {
        return pools.size() > 1 ? Optional.empty() : Optional.of(manifest(pools.get(0)));
    }

    private static String manifest(EngineLaunch launch) {
        String name = launch.name();
        JsonValue app = JsonValue.object().put("app", name).build();
        JsonObjectBuilder template = JsonValue.object()
                .put("metadata", JsonValue.object().put("labels", app))
                .put("spec", pod(launch));
        JsonObjectBuilder workload = EngineLaunch.resource("apps/v1", "Deployment", name)
                .put(
                        "spec",
                        JsonValue.object()
                                .put("replicas", launch.replicas())
                                .put("selector", JsonValue.object().put("matchLabels", app))
                                .put("template", template));
        JsonObjectBuilder port = JsonValue.object().put("port", 80).put("targetPort", EngineLaunch.PORT);
        JsonObjectBuilder service = EngineLaunch.resource("v1", "Service", name)
                .put("spec", JsonValue.object().put("selector", app).put("ports", EngineLaunch.one(port)));
        String about = "The flags were checked with this version of the image. The volume keeps downloaded models"
                + (launch.replicas() > 1
                        ? "; all copies mount it, so its storage class must support ReadWriteMany."
                        : ".");
        return launch.comments(about, "token")
                + YamlText.of(workload.build(), service.build(), claim(launch).build());
    }

    private static String claimName(EngineLaunch launch) {
        return launch.name() + "-models";
    }

    private static JsonObjectBuilder claim(EngineLaunch launch) {
        JsonObjectBuilder requests = JsonValue.object().put("storage", launch.volumeSize());
        return EngineLaunch.resource("v1", "PersistentVolumeClaim", claimName(launch))
                .put(
                        "spec",
                        JsonValue.object()
                                .put(
                                        "accessModes",
                                        JsonValue.strings(
                                                List.of(launch.replicas() > 1 ? "ReadWriteMany" : "ReadWriteOnce")))
                                .put("resources", JsonValue.object().put("requests", requests)));
    }

    private static JsonValue pod(EngineLaunch launch) {
        JsonObjectBuilder probe = JsonValue.object()
                .put("httpGet", JsonValue.object().put("path", "/health").put("port", EngineLaunch.PORT))
                .put("periodSeconds", 10)
                .put("failureThreshold", 180);
        JsonObjectBuilder memory = JsonValue.object()
                .put("name", SHARED)
                .put(
                        "emptyDir",
                        JsonValue.object().put("medium", "Memory").put("sizeLimit", EngineLaunch.SHARED_MEMORY));
        JsonObjectBuilder models = JsonValue.object()
                .put("name", MODELS)
                .put("persistentVolumeClaim", JsonValue.object().put("claimName", claimName(launch)));
        JsonObjectBuilder container = launch.container("engine", launch.image(), launch.script(launch.command()))
                .put("ports", EngineLaunch.one(JsonValue.object().put("containerPort", EngineLaunch.PORT)))
                .put("readinessProbe", probe)
                .put(
                        "volumeMounts",
                        JsonValue.of(List.of(mount(SHARED, "/dev/shm"), mount(MODELS, EngineLaunch.MODEL_CACHE))));
        return JsonValue.object()
                .put("containers", EngineLaunch.one(container))
                .put("volumes", JsonValue.of(List.of(memory.build(), models.build())))
                .build();
    }

    private static JsonValue mount(String name, String path) {
        return JsonValue.object().put("name", name).put("mountPath", path).build();
    }
}
