package dev.stagesim.feature.plan.deploy;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.YamlText;
import dev.stagesim.model.Shell;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** A file of Docker Compose with the copies of one host. Pools need a router, which Compose does not have. */
final class ComposeFormat implements DeploymentFormat {
    private static final int HOST_DEVICES = 8;

    @Override
    public String file() {
        return "compose.yaml";
    }

    @Override
    public Optional<String> text(List<EngineLaunch> pools) {
        return pools.size() > 1 ? Optional.empty() : Optional.of(file(pools.get(0)));
    }

    private static String file(EngineLaunch launch) {
        int copies = Math.min(launch.replicas(), Math.max(1, HOST_DEVICES / launch.devices()));
        JsonObjectBuilder services = JsonValue.object();
        for (int copy = 0; copy < copies; copy++) {
            services.put("engine-" + copy, service(launch, copy));
        }
        String about = "docker compose up -d starts " + copies + " of " + launch.replicas()
                + (launch.replicas() == 1 ? " copy" : " copies") + " on one host, at ports from " + EngineLaunch.PORT
                + ". A gated model needs HF_TOKEN in the environment.";
        StringBuilder comments = new StringBuilder("# " + about + "\n");
        launch.notes()
                .forEach(note ->
                        comments.append("# ").append(Shell.comment(note)).append('\n'));
        return comments
                + YamlText.of(JsonValue.object()
                        .put("name", launch.name())
                        .put("services", services)
                        .put("volumes", JsonValue.object().put("models", JsonValue.object()))
                        .build());
    }

    private static JsonObjectBuilder service(EngineLaunch launch, int copy) {
        String script = launch.script(launch.command()).replace("$", "$$");
        JsonObjectBuilder service = JsonValue.object()
                .put("image", launch.image())
                .put("entrypoint", JsonValue.strings(List.of("/bin/sh", "-c")))
                .put("command", JsonValue.strings(List.of(script)))
                .put("environment", launch.variables())
                .put("ports", JsonValue.strings(List.of((EngineLaunch.PORT + copy) + ":" + EngineLaunch.PORT)))
                .put("volumes", JsonValue.strings(List.of("models:" + EngineLaunch.MODEL_CACHE)))
                .put("shm_size", "16gb")
                .put("restart", "unless-stopped");
        int first = copy * launch.devices();
        List<String> devices = IntStream.range(first, first + launch.devices())
                .mapToObj(Integer::toString)
                .toList();
        if (launch.isAmd()) {
            return service.put("devices", JsonValue.strings(List.of("/dev/kfd", "/dev/dri")))
                    .put("group_add", JsonValue.strings(List.of("video")));
        }
        JsonObjectBuilder reservation = JsonValue.object()
                .put("driver", "nvidia")
                .put("device_ids", JsonValue.strings(devices))
                .put("capabilities", JsonValue.strings(List.of("gpu")));
        JsonObjectBuilder resources = JsonValue.object()
                .put("reservations", JsonValue.object().put("devices", EngineLaunch.one(reservation)));
        return service.put("deploy", JsonValue.object().put("resources", resources));
    }
}
