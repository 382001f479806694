package dev.stagesim.verify;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds recorded cases outside of the repository. */
public final class Corpora {
    private Corpora() {}

    /** Returns the folder of a suite's cases. Skips the calling test if it is absent. */
    public static Path beside(String suite) {
        Path folder = Path.of("..", "shared", "goldens").resolve(suite);
        assumeTrue(Files.isDirectory(folder), () -> "no corpus beside the repository: there is no folder " + folder);
        return folder;
    }
}
