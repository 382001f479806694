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

/** Finds the files that settings name: as given, else below the product's home, where presets keep theirs. */
final class UserFiles {
    private static final int HEAD_BYTES = 8192;

    private UserFiles() {}

    static Path locate(Path file, Path home) {
        return InputFile.regular(ShippedFiles.locate(file, home));
    }

    /**
     * A file of text, found as {@link #locate} does.
     *
     * @throws StageException when it is no regular file, naming {@code key} when it is binary as far as its first bytes tell
     */
    static Path text(String key, Path given, Path home) throws IOException {
        Path file = ShippedFiles.locate(given, home);
        if (Files.isDirectory(file)) {
            throw ServingBuilder.refuse(key, file + " is a directory", "name a file in it");
        }
        if (Files.isRegularFile(file)) {
            try (InputStream in = InputFile.open(file)) {
                // text in UTF-8 has no zero bytes
                if (new String(in.readNBytes(HEAD_BYTES), StandardCharsets.ISO_8859_1).indexOf('\0') >= 0) {
                    throw ServingBuilder.refuse(
                            key, file + " is a binary file", "name a text file in UTF-8: CSV, JSON lines or JSON");
                }
            }
        }
        return file;
    }

    /** The file behind a tokenizer's name, when it is one. */
    static Optional<Path> tokenizerFile(String name, Path home) {
        Path file = locate(home.getFileSystem().getPath(name), home);
        return Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
    }
}
