package dev.stagesim.feature.plan.deploy;

import dev.stagesim.serving.EngineChoice.Kind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The server of an engine that receives the requests of a prefill and a decode pool. */
public final class PoolFrontend {
    private static final String CONFIG = "disagg_config.yaml";
    private static final String COMMAND = "router.sh";

    /** Default of {@code --disaggregation-bootstrap-port}. */
    private static final int BOOTSTRAP_PORT = 8998;

    private PoolFrontend() {}

    /** Returns the files that start the server, by name; empty for vLLM, which has none. */
    public static Map<String, String> files(EngineLaunch prefill, EngineLaunch decode) {
        Map<String, String> files = new LinkedHashMap<>();
        if (prefill.deployment().shape().kind() == Kind.TRTLLM) {
            files.put(
                    CONFIG,
                    "# Replace the host names with the hosts that run prompts.sh and outputs.sh.\nhostname: 0.0.0.0\nport: "
                            + EngineLaunch.PORT + "\nbackend: pytorch\n" + servers("context_servers", prefill)
                            + servers("generation_servers", decode));
            files.put(COMMAND, "#!/bin/sh\ntrtllm-serve disaggregated -c " + CONFIG + "\n");
        }
        if (prefill.deployment().shape().kind() == Kind.SGLANG) {
            files.put(
                    COMMAND,
                    "#!/bin/sh\n# Replace the host names with the hosts that run prompts.sh and outputs.sh.\n"
                            + "python3 -m sglang_router.launch_router \\\n  --pd-disaggregation" + urls(prefill)
                            + urls(decode)
                            + " \\\n  --host 0.0.0.0 --port " + EngineLaunch.PORT + "\n");
        }
        return files;
    }

    private static String urls(EngineLaunch pool) {
        return IntStream.range(0, pool.replicas())
                .mapToObj(i -> " \\\n  --" + pool.role().id() + " http://" + host(pool, i)
                        + (pool.role() == EngineLaunch.Role.PREFILL ? " " + BOOTSTRAP_PORT : ""))
                .collect(Collectors.joining());
    }

    private static String servers(String section, EngineLaunch pool) {
        return section + ":\n  num_instances: " + pool.replicas() + "\n  urls:\n"
                + IntStream.range(0, pool.replicas())
                        .mapToObj(i -> "    - \"" + host(pool, i) + "\"\n")
                        .collect(Collectors.joining());
    }

    private static String host(EngineLaunch pool, int copy) {
        return pool.role().id() + "-" + copy + ":" + EngineLaunch.PORT;
    }
}
