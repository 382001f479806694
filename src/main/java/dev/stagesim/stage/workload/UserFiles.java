package dev.stagesim.stage.workload;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the files that settings name: as given, else below the product's home, where presets keep theirs. */
final class UserFiles {
    private UserFiles() {}

    static Path locate(Path file, Path home) {
        if (file.isAbsolute() || Files.exists(file)) {
            return file;
        }
        Path shipped = home.resolve(file.toString());
        return Files.exists(shipped) ? shipped : file;
    }

    /** The file behind a tokenizer's name, when it is one. */
    static Optional<Path> tokenizerFile(String name, Path home) {
        Path file = locate(home.getFileSystem().getPath(name), home);
        return Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
    }
}
