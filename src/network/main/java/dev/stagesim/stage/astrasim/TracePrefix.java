package dev.stagesim.stage.astrasim;

import dev.stagesim.io.astra.RankFiles;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the traces of a prefix: in the working directory or, if absent, among the files shipped with the product. */
final class TracePrefix {
    private TracePrefix() {}

    /** Returns the prefix whose first trace exists, or the given one. */
    static Path locate(Path prefix, Path home) {
        Path shipped = home.resolve(prefix.toString());
        boolean isShipped = !Files.exists(RankFiles.file(prefix, 0)) && Files.exists(RankFiles.file(shipped, 0));
        return isShipped ? shipped : prefix;
    }
}
