package dev.stagesim.feature.plan.deploy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Registry of the formats of deployment files. */
public final class DeploymentFormats {
    private static final List<DeploymentFormat> ALL =
            List.of(new KubernetesFormat(), new ComposeFormat(), new DynamoFormat(), new LlmdFormat());

    private DeploymentFormats() {}

    /**
     * Returns the content of each file by name, in the formats that can describe the deployment.
     *
     * @param pools one pool of copies, or a prefill pool and a decode pool
     */
    public static Map<String, String> files(List<EngineLaunch> pools) {
        Map<String, String> files = new LinkedHashMap<>();
        for (DeploymentFormat format : ALL) {
            format.text(pools).ifPresent(text -> files.put(format.file(), text));
        }
        return files;
    }
}
