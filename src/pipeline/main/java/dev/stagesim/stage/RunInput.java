package dev.stagesim.stage;

import dev.stagesim.io.csv.TableFile;
import java.nio.file.Path;

/**
 * A finished upstream run.
 *
 * @param dir directory of the run
 * @param runType name of the stage
 * @param sha256 digest of the artifacts
 */
public record RunInput(Path dir, String runId, String runType, String sha256) {
    /** Returns the path of an artifact, which may be absent; tables have the CSV name in any format. */
    public Path file(String name) {
        return TableFile.find(dir.resolve(name));
    }

    public boolean has(String name) {
        return TableFile.exists(file(name));
    }
}
