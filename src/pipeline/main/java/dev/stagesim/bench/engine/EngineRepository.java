package dev.stagesim.bench.engine;

import java.io.IOException;
import java.nio.file.Path;

/** A source of pinned files with the layout of a Maven repository. */
interface EngineRepository {
    /** Receives the number of downloaded bytes of a file. */
    @FunctionalInterface
    interface Listener {
        void have(long bytes);
    }

    /**
     * Appends the missing bytes of a file.
     *
     * @param path path below the repository
     * @param part file with the first bytes; may be absent
     * @param listener receives the progress
     * @throws IOException if the repository is unreachable or lacks the file; downloaded bytes stay in {@code part}
     */
    void fetch(String path, Path part, Listener listener) throws IOException;

    /** Returns the location for messages. */
    String location();
}
