package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.RankFiles;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.ShippedFiles;
import java.nio.file.Files;
import java.nio.file.Path;

/** Resolves file names in settings: as given or, if absent, among the files shipped with the product. */
final class Located {
    private Located() {}

    /**
     * The file that a setting names.
     *
     * @throws StageException (input) if it is a directory
     */
    static Path at(Path file, Path home) {
        return InputFile.regular(ShippedFiles.locate(file, home));
    }

    /** The prefix of traces; the first trace must exist. */
    static Path prefix(Path prefix, Path home) {
        Path shipped = home.resolve(prefix.toString());
        boolean isShipped = !Files.exists(RankFiles.file(prefix, 0)) && Files.exists(RankFiles.file(shipped, 0));
        return isShipped ? shipped : prefix;
    }
}
