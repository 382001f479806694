package dev.stagesim.stage.workload;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.ShippedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Files that the settings of a workload name, with their checks. */
final class UserFiles {
    private static final int HEAD_BYTES = 8192;

    private UserFiles() {}

    /**
     * Returns a text file, in the working directory or below the product's home.
     *
     * @throws StageException if it is not a regular file, or if its first bytes are binary
     */
    static Path text(String key, Path given, Path home) throws IOException {
        Path file = ShippedFiles.locate(given, home);
        if (Files.isDirectory(file)) {
            throw ServingBuilder.refuse(key, file + " is a directory", "set it to a file in the directory");
        }
        if (Files.isRegularFile(file)) {
            try (InputStream in = InputFile.open(file)) {
                // UTF-8 text has no zero bytes
                if (new String(in.readNBytes(HEAD_BYTES), StandardCharsets.ISO_8859_1).indexOf('\0') >= 0) {
                    throw ServingBuilder.refuse(
                            key, file + " is a binary file", "set it to a UTF-8 text file: CSV, JSON lines or JSON");
                }
            }
        }
        return file;
    }

    /** Returns the file of a tokenizer, if its name is a path. */
    static Optional<Path> tokenizerFile(String name, Path home) {
        Path file = ShippedFiles.file(home.getFileSystem().getPath(name), home);
        return Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
    }
}
