package dev.stagesim.sweep;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes files of a sweep atomically: a killed process leaves the old file or the new one. */
public final class SweepFiles {
    private SweepFiles() {}

    /** Writes the content of a file. */
    public interface Writing {
        void to(Path file) throws IOException;
    }

    public static void write(Path file, Writing writing) throws IOException {
        Path temporary = file.resolveSibling(
                "." + file.getFileName() + "." + ProcessHandle.current().pid() + "." + System.nanoTime());
        try {
            writing.to(temporary);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | UncheckedIOException e) {
            Files.deleteIfExists(temporary);
            throw withFileName(file, e);
        }
    }

    /** Adds the file's name if the system did not report it. */
    private static IOException withFileName(Path file, Exception failure) {
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
