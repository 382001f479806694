package dev.stagesim.pipeline.store;

import dev.stagesim.stage.RunInput;
import java.nio.file.Path;

/**
 * A finished run.
 *
 * @param dir its directory
 * @param meta contents of its {@code run_meta.json}
 * @param sha256 digest of its metadata without volatile members
 * @param reused true if the run was finished before it was requested
 */
public record RunRef(Path dir, RunMeta meta, String sha256, boolean reused) {
    public String runId() {
        return meta.runId();
    }

    /** Returns the run as an input of another run. */
    public RunInput input() {
        return new RunInput(dir, meta.runId(), meta.runType(), sha256);
    }

    public RunRef reusedAgain() {
        return reused ? this : new RunRef(dir, meta, sha256, true);
    }
}
