package dev.stagesim.stage;

import dev.stagesim.io.csv.TableFile;
import java.nio.file.Path;

/**
 * A finished upstream run.
 *
 * @param dir its directory
 * @param runType name of the stage that made it
 * @param sha256 digest over its artifacts
 */
public record RunInput(Path dir, String runId, String runType, String sha256) {
    /** Path of one of its artifacts, which may be absent; tables are named as CSV, in whatever format they are. */
    public Path file(String name) {
        return TableFile.find(dir.resolve(name));
    }

    public boolean has(String name) {
        return TableFile.exists(file(name));
    }
}
