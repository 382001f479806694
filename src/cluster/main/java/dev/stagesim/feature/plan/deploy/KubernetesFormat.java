package dev.stagesim.feature.plan.deploy;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.YamlText;
import java.util.List;
import java.util.Optional;

/** A Deployment and a Service of Kubernetes. Pools need a router, which Kubernetes does not have. */
final class KubernetesFormat implements DeploymentFormat {
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
        return launch.comments("The flags were checked with this version of the image.", "token")
                + YamlText.of(workload.build(), service.build());
    }

    private static JsonValue pod(EngineLaunch launch) {
        JsonObjectBuilder probe = JsonValue.object()
                .put("httpGet", JsonValue.object().put("path", "/health").put("port", EngineLaunch.PORT))
                .put("periodSeconds", 10)
                .put("failureThreshold", 180);
        return EngineLaunch.pod(launch.container("engine", launch.image(), launch.script(launch.command()))
                        .put("ports", EngineLaunch.one(JsonValue.object().put("containerPort", EngineLaunch.PORT)))
                        .put("readinessProbe", probe))
                .build();
    }
}
