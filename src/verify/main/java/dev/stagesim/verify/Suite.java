package dev.stagesim.verify;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * A verification suite: replays the recorded cases of a corpus and reports whether the results match.
 *
 * @param name name on the command line
 * @param doc one sentence for the reference
 * @param replay replays the cases of a corpus
 */
public record Suite(String name, String doc, Replay replay) {
    /** Replays a corpus. */
    @FunctionalInterface
    public interface Replay {
        /**
         * Replays every case in a stable order and reports each result at once. Parts that are missing from the corpus
         * are skipped.
         *
         * @throws IOException if a file cannot be read
         */
        void run(Path corpus, Consumer<CaseResult> results) throws IOException;
    }

    /** Returns a suite of the folders below {@code cases}. */
    public static Suite ofCases(String name, String doc, CaseFolders.Replay replay) {
        return new Suite(name, doc, (corpus, results) -> CaseFolders.replay(corpus.resolve("cases"), replay, results));
    }

    /** Replays every case of a corpus. The caller reports a corpus without any case. */
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        replay.run(corpus, results);
    }
}
