package dev.stagesim.bench;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory for what a child process reads and writes: within the run that is being made, so that it goes when a killed
 * run's remains do, and deleted with all that is in it when it is closed.
 */
public final class Scratch implements AutoCloseable {
    private static final String NAME = "scratch";

    private final Path dir;

    private Scratch(Path dir) {
        this.dir = dir;
    }

    /** Makes one in a directory; elsewhere when that is not of a kind that other processes see. */
    public static Scratch in(Path out) throws IOException {
        return new Scratch(
                out.getFileSystem().equals(FileSystems.getDefault())
                        ? Files.createDirectory(out.toAbsolutePath().resolve(NAME))
                        : Files.createTempDirectory("stagesim-" + NAME));
    }

    /** Makes one where the system keeps temporary files. */
    public static Scratch temporary() throws IOException {
        return new Scratch(Files.createTempDirectory("stagesim-" + NAME));
    }

    /** Where it is. */
    public Path dir() {
        return dir;
    }

    @Override
    public void close() throws IOException {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(dir)) {
            all = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }
}
