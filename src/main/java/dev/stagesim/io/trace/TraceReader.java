package dev.stagesim.io.trace;

import dev.stagesim.model.Problem;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/**
 * Streams the requests of one trace file.
 *
 * <p>{@link #next()} moves to the next row and returns what is wrong with it, so that a caller can gather problems.
 */
abstract class TraceReader implements Closeable {
    /** One row, overwritten by the next. */
    long timeNs;

    int prefill;
    int decode;
    String model = "";
    String text = "";
    String id = "";

    /** Numbers of the prompt's blocks, equal where prompts are; empty where the row names none. */
    int[] blocks = {};

    /** Result of moving on. */
    enum Step {
        ROW,
        /** A row that is no request of a language model. */
        OTHER,
        END
    }

    /** What rows of the file have. */
    final Traits traits;

    /**
     * What rows of a file have.
     *
     * @param text text to be tokenised, instead of lengths or in addition
     * @param outputOptional whether rows without output length are as they should be: the length comes from elsewhere
     * @param blockTokens tokens of a block of a prompt, 0 where rows name no blocks
     */
    record Traits(
            boolean times, boolean lengths, boolean models, boolean text, boolean outputOptional, int blockTokens) {}

    TraceReader(Traits traits) {
        this.traits = traits;
    }

    /** Moves to the next row; the user's malformed row throws {@link BadRow}. */
    abstract Step next() throws IOException;

    /** A problem with the current row, at its place in the file. */
    abstract Problem problem(String what);

    /** Something to tell the user about the file as a whole, after reading. */
    Optional<String> remark() {
        return Optional.empty();
    }

    /** A malformed row; reading may go on behind it. */
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
