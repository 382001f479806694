package dev.stagesim.bench.engine;

import dev.stagesim.io.gzip.Directories;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A directory for the files of a child process, deleted on close. It is inside the run directory, so that it is also deleted with the
 * partial files of a killed run.
 */
public final class Scratch implements AutoCloseable {
    private static final String NAME = "scratch";

    private final Path dir;

    private Scratch(Path dir) {
        this.dir = dir;
    }

    /** Creates a directory in {@code out}, or in the temporary directory if other processes cannot access {@code out}. */
    public static Scratch in(Path out) throws IOException {
        return new Scratch(
                out.getFileSystem().equals(FileSystems.getDefault())
                        ? Files.createDirectory(out.toAbsolutePath().resolve(NAME))
                        : Files.createTempDirectory("stagesim-" + NAME));
    }

    /** Creates a directory in the system's temporary directory. */
    public static Scratch temporary() throws IOException {
        return new Scratch(Files.createTempDirectory("stagesim-" + NAME));
    }

    public Path dir() {
        return dir;
    }

    @Override
    public void close() throws IOException {
        Directories.delete(dir);
    }
}
