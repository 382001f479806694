package dev.stagesim.io.trace;

import dev.stagesim.model.Problem;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Streams the requests of one trace file.
 *
 * <p>{@link #next()} moves to the next row and returns its problem, so that a caller can collect problems.
 */
abstract class TraceReader implements Closeable {
    /** One row. The next row overwrites it. */
    long timeNs;

    int prefill;
    int decode;
    String model = "";
    String text = "";
    String id = "";

    /** Ids of the prompt's blocks; equal prompts have equal ids. Empty if the row has no ids. */
    int[] blocks = {};

    /** Result of moving on. */
    enum Step {
        ROW,
        /** A row that is not a request to a language model. */
        OTHER,
        END
    }

    /** Returns the contents of the file's rows. */
    final Traits traits;

    /**
     * Contents of the rows of a file.
     *
     * @param text text to be tokenised, instead of lengths or in addition
     * @param outputOptional true if a row without output length is valid because the length has another source
     * @param blockTokens tokens per prompt block, or 0 if rows have no blocks
     */
    record Traits(
            boolean times, boolean lengths, boolean models, boolean text, boolean outputOptional, int blockTokens) {}

    TraceReader(Traits traits) {
        this.traits = traits;
    }

    /** Moves to the next row. A malformed row throws {@link BadRow}. */
    abstract Step next() throws IOException;

    /** Returns a problem with the current row, with its place in the file. */
    abstract Problem problem(String what);

    /** Returns a warning for the user about the whole file, after reading. */
    Optional<String> remark() {
        return Optional.empty();
    }

    /** Returns which columns were recognised by their names; empty for known formats. */
    Optional<String> layout() {
        return Optional.empty();
    }

    /** A malformed row. Reading may continue with the next row. */
    static final class BadRow extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Problem problem;

        BadRow(Problem problem) {
            super(problem.render(), null, false, false);
            this.problem = problem;
        }

        Problem problem() {
            return problem;
        }
    }
}
