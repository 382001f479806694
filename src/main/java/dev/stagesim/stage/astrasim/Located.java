package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.RankFiles;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.ShippedFiles;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds files that settings name: as given, or, where there is none, among those shipped with the product. */
final class Located {
    private Located() {}

    /**
     * The file that settings name.
     *
     * @throws StageException (input) when a directory has that name
     */
    static Path at(Path file, Path home) {
        return InputFile.regular(ShippedFiles.locate(file, home));
    }

    /** The prefix of traces of which the first exists. */
    static Path prefix(Path prefix, Path home) {
        Path shipped = home.resolve(prefix.toString());
        boolean isShipped = !Files.exists(RankFiles.file(prefix, 0)) && Files.exists(RankFiles.file(shipped, 0));
        return isShipped ? shipped : prefix;
    }
}
