package dev.stagesim.api;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs of stages with the shipped configs, for tests. */
final class TestRuns {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    private TestRuns() {}

    /** Runs a stage in a working directory with the overrides of a test and further ones. */
    static Run run(Path work, String stage, List<String> overrides, String... more) {
        return Stagesim.open(HOME, work)
                .run(stage, Stream.concat(overrides.stream(), Stream.of(more)).toArray(String[]::new));
    }
}
