package dev.stagesim.stage;

import dev.stagesim.io.gzip.InputFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Resolves file names in settings. Presets name shipped files, so a path that does not exist is also searched below the
 * product's home.
 */
public final class ShippedFiles {
    private ShippedFiles() {}

    /**
     * Returns the resolved path, or the given path if the file does not exist.
     *
     * @param home product installation, as {@link StageContext#home()}
     */
    public static Path locate(Path file, Path home) {
        if (file.isAbsolute() || Files.exists(file)) {
            return file;
        }
        Path shipped = home.resolve(file.toString());
        return Files.exists(shipped) ? shipped : file;
    }

    /**
     * Returns the resolved path of a file. A missing file is not an error here.
     *
     * @throws dev.stagesim.model.StageException (input) if it is a directory, a device or a pipe
     */
    public static Path file(Path file, Path home) {
        return InputFile.regular(locate(file, home));
    }
}
