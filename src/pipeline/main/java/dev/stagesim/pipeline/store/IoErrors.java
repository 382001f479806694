package dev.stagesim.pipeline.store;

import dev.stagesim.model.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Formats I/O errors with the file and the reason. Messages of the library often contain only the path. */
public final class IoErrors {
    private static final Map<String, String> HINTS = Map.of(
            "No space left on device", "make room on that disk, or work in a directory on another",
            "Disk quota exceeded", "make room within the quota, or work in a directory on another disk",
            "File too large", "raise the file size limit: ulimit -f",
            "Read-only file system", "work in a directory that can be written: runs go to tmp/ below it",
            "Permission denied", "work in a directory that can be written: runs go to tmp/ below it",
            "Too many open files", "raise the limit of open files: ulimit -n");

    private IoErrors() {}

    /** Returns the file and the reason of an {@link IOException}, which may be wrapped in an unchecked exception. */
    public static String describe(Exception failure) {
        Throwable cause =
                failure instanceof UncheckedIOException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof FileSystemException file) {
            String reason = Objects.requireNonNullElse(file.getReason(), "");
            return file.getFile() + ": " + (reason.isEmpty() ? kind(file) : reason);
        }
        return Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getSimpleName());
    }

    /**
     * Returns a failure below a directory with the name of the file. If the system did not report a name, this is the
     * most recently written file. Other failures are returned unchanged.
     */
    public static Exception naming(Exception failure, Path dir) {
        String why = describe(failure);
        if (!HINTS.containsKey(why)) {
            return failure;
        }
        FileSystemException named = new FileSystemException(writtenLast(dir).toString(), null, why);
        named.initCause(failure);
        return named;
    }

    private static Path writtenLast(Path dir) {
        Path last = dir;
        FileTime time = FileTime.fromMillis(0);
        try {
            for (Path file : Digests.filesBelow(dir)) {
                FileTime modified = Files.getLastModifiedTime(file);
                if (modified.compareTo(time) >= 0) {
                    last = file;
                    time = modified;
                }
            }
        } catch (IOException | UncheckedIOException e) {
            return dir;
        }
        return last;
    }

    /** Returns the failure as a problem with a hint. */
    public static Problem problem(String category, String where, Exception failure) {
        String text = describe(failure);
        Problem problem = Problem.of(category, where, text);
        for (Map.Entry<String, String> hint : HINTS.entrySet()) {
            if (text.toLowerCase(Locale.ROOT).endsWith(hint.getKey().toLowerCase(Locale.ROOT))) {
                return problem.hint(hint.getValue());
            }
        }
        return problem;
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
