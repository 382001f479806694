package dev.stagesim.verify.hydra;

import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.verify.CaseResult;
import java.io.IOException;
import java.nio.file.Path;

/**
 * One folder of the corpus. Its {@code cases.jsonl} has one case per line.
 *
 * @param name name of the folder and of the part in reports
 */
record HydraPart(String name, Opening opening) {
    /** Member of the cases of Hydra 1.4: the result of 1.3. */
    static final String FORMER_RESULT = "hydra_1_3";

    /** Returns the dialect of a case. */
    static Dialect dialect(LocatedJson recorded) {
        return recorded.has(FORMER_RESULT) ? Dialect.HYDRA_1_4 : Dialect.HYDRA;
    }

    /** Prepares the replay of the cases of a folder, and reads their shared files. */
    @FunctionalInterface
    interface Opening {
        Replay of(Path folder) throws IOException;
    }

    /** Replays cases individually. */
    @FunctionalInterface
    interface Replay extends AutoCloseable {
        /** Replays one case. An exception is reported as a failure of the case. */
        CaseResult run(String id, LocatedJson recorded) throws IOException;

        /** Deletes temporary files. */
        @Override
        default void close() throws IOException {}
    }
}
