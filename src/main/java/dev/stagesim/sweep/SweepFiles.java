package dev.stagesim.sweep;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files of a sweep; each appears whole, so that a killed process leaves the old one or the new one. */
public final class SweepFiles {
    private SweepFiles() {}

    /** What writes a file. */
    public interface Writing {
        void to(Path file) throws IOException;
    }

    public static void write(Path file, Writing writing) throws IOException {
        Path beside = file.resolveSibling(
                "." + file.getFileName() + "." + ProcessHandle.current().pid() + "." + System.nanoTime());
        writing.to(beside);
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
