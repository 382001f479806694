package dev.stagesim.pipeline;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/** Says in words what went wrong with a file; the library's messages are often the bare path. */
public final class FileTrouble {
    private FileTrouble() {}

    /** The file and what is wrong with it, of an {@link IOException} or one in an unchecked wrapping. */
    public static String describe(Exception failure) {
        Throwable cause =
                failure instanceof UncheckedIOException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof FileSystemException file) {
            String reason = Objects.requireNonNullElse(file.getReason(), "");
            return file.getFile() + ": " + (reason.isEmpty() ? kind(file) : reason);
        }
        return Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getSimpleName());
    }

    private static String kind(FileSystemException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "exists already";
        }
        if (failure instanceof NotDirectoryException) {
            return "not a directory";
        }
        if (failure instanceof DirectoryNotEmptyException) {
            return "directory is not empty";
        }
        return failure.getClass().getSimpleName();
    }
}
