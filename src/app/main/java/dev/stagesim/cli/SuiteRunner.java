package dev.stagesim.cli;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Implementation of {@code stage verify}, in a separate jar that the product does not need. */
public interface SuiteRunner {
    /** The outcome of a replay. */
    interface Report {
        /** Returns the object that {@code --json} prints. */
        JsonValue.Obj json();

        /** Returns the human-readable lines. */
        List<String> lines();

        /**
         * Throws unless every case passed.
         *
         * @throws StageException of kind check (exit code 3)
         */
        void check();
    }

    /** Returns the names of the suites, sorted. */
    List<String> names();

    /**
     * Replays a corpus.
     *
     * @throws StageException of kind input if the suite is unknown, or the corpus is missing or contains no case
     * @throws IOException if a file cannot be read
     */
    Report run(String suite, Path corpus) throws IOException;
}
