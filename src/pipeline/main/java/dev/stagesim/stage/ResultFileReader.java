package dev.stagesim.stage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Reads which model a result file of a benchmark tool names, for the key {@code real.file}. */
@FunctionalInterface
public interface ResultFileReader {
    /**
     * Returns the name of the model in the file's spelling; empty if absent.
     *
     * @param source format of the file; empty to detect it
     * @param entry index of the result in a file with several results
     */
    Optional<String> model(Path file, Optional<String> source, Optional<Integer> entry) throws IOException;
}
