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
     * Replays every case of {@code corpus} in a stable order and hands each result on as it is known.
     *
     * <p>Parts that the corpus lacks are skipped; no case at all is reported by the caller.
     *
     * @throws IOException when a file cannot be read
     */
    void run(Path corpus, Consumer<CaseResult> results) throws IOException;
}
