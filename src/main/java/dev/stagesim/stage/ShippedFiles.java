package dev.stagesim.stage;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the files that settings name: as given, else below the product's home, where presets keep theirs. */
public final class ShippedFiles {
    private ShippedFiles() {}

    /**
     * Where a file is; as given when it is nowhere.
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
}
