package dev.stagesim.feature.plan.deploy;

import java.util.List;
import java.util.Optional;

/** A format of deployment files. */
interface DeploymentFormat {
    /** Returns the name of the file. */
    String file();

    /**
     * Returns the content of the file; empty if the format cannot describe the deployment.
     *
     * @param pools one pool of copies, or a prefill pool and a decode pool
     */
    Optional<String> text(List<EngineLaunch> pools);
}
