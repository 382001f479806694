package dev.stagesim.cli;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What {@code stage verify} runs. Implemented in a jar of its own, which the product does not need. */
public interface SuiteRunner {
    /** The outcome of a replay. */
    interface Report {
        /** The object that {@code --json} prints. */
        JsonValue.Obj json();

        /** The lines for people. */
        List<String> lines();

        /**
         * Does nothing when every case passed.
         *
         * @throws StageException of kind check (exit code 3) otherwise
         */
        void check();
    }

    /** Names of the suites, sorted. */
    List<String> names();

    /**
     * Replays a corpus.
     *
     * @throws StageException of kind input when the suite is unknown or the corpus is missing or holds no case
     * @throws IOException when a file cannot be read
     */
    Report run(String suite, Path corpus) throws IOException;
}
