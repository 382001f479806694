package dev.stagesim.sweep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
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
        try {
            writing.to(beside);
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | UncheckedIOException e) {
            Files.deleteIfExists(beside);
            throw named(file, e);
        }
    }

    /** With the file's name, where the system has not said it. */
    private static IOException named(Path file, Exception failure) {
        IOException cause =
                failure.getCause() instanceof IOException io ? io : new IOException(failure.getMessage(), failure);
        if (failure instanceof IOException io) {
            cause = io;
        }
        if (cause instanceof FileSystemException) {
            return cause;
        }
        FileSystemException named = new FileSystemException(file.toString(), null, cause.getMessage());
        named.initCause(cause);
        return named;
    }
}
