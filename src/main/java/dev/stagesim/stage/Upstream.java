package dev.stagesim.stage;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One input of a stage that another stage can produce.
 *
 * @param role name under which the stage asks for it, for example {@code workload}
 * @param stage stage that is run when no directory is given
 * @param accepts run types a given directory may have; the stage's own type is always among them
 * @param key configuration key that names a directory, for example {@code workload.dir}
 * @param dir the directory the user gave
 */
public record Upstream(String role, String stage, List<String> accepts, String key, Optional<Path> dir) {
    public Upstream {
        accepts = List.copyOf(accepts);
    }
}
