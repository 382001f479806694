package dev.stagesim.stage;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A finished upstream run.
 *
 * @param dir its directory
 * @param runId its id
 * @param runType name of the stage that made it
 * @param sha256 digest over its artifacts
 */
public record RunInput(Path dir, String runId, String runType, String sha256) {
    /** Path of one of its artifacts, which may be absent. */
    public Path file(String name) {
        return dir.resolve(name);
    }

    public boolean has(String name) {
        return Files.exists(file(name));
    }
}
