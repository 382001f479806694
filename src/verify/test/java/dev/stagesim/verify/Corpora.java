package dev.stagesim.verify;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** The recorded cases that may lie beside the repository. */
public final class Corpora {
    private Corpora() {}

    /** The folder of a suite's cases; the test that asks for it is left out where there is none. */
    public static Path beside(String suite) {
        Path folder = Path.of("..", "shared", "goldens").resolve(suite);
        assumeTrue(Files.isDirectory(folder), () -> "no corpus beside the repository: there is no folder " + folder);
        return folder;
    }
}
