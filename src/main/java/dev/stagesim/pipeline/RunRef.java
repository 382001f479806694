package dev.stagesim.pipeline;

import dev.stagesim.stage.RunInput;
import java.nio.file.Path;

/**
 * A finished run.
 *
 * @param dir its directory
 * @param meta what its {@code run_meta.json} says
 * @param sha256 digest of all that is not volatile in it
 * @param reused true when it was finished before it was asked for
 */
public record RunRef(Path dir, RunMeta meta, String sha256, boolean reused) {
    public String runId() {
        return meta.runId();
    }

    /** The run as the input of another. */
    RunInput input() {
        return new RunInput(dir, meta.runId(), meta.runType(), sha256);
    }

    RunRef reusedAgain() {
        return reused ? this : new RunRef(dir, meta, sha256, true);
    }
}
