package dev.stagesim.bench.engine;

import java.io.IOException;
import java.nio.file.Path;

/** A place that pinned files come from, laid out as a Maven repository. */
interface Repository {
    /** Told how many bytes of a file are there. */
    @FunctionalInterface
    interface Listener {
        void have(long bytes);
    }

    /**
     * Appends what is missing of a file.
     *
     * @param path path below the repository
     * @param part file that holds the first bytes, or none
     * @param listener told of progress
     * @throws IOException when it cannot be reached or has no such file; what was got stays in {@code part}
     */
    void fetch(String path, Path part, Listener listener) throws IOException;

    /** Where it is, for messages. */
    String location();
}
