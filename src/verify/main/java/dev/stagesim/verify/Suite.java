package dev.stagesim.verify;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** A kind of corpus and how its cases are replayed. */
public interface Suite {
    /** Name on the command line. */
    String name();

    /** One sentence for the reference. */
    String doc();

    /**
     * Replays every case of {@code corpus} in a stable order and reports each result at once.
     *
     * <p>Parts that are missing from the corpus are skipped. The caller reports a corpus without any case.
     *
     * @throws IOException if a file cannot be read
     */
    void run(Path corpus, Consumer<CaseResult> results) throws IOException;
}
