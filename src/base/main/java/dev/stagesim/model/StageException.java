package dev.stagesim.model;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An error that the user can correct. Bugs of the product are {@link IllegalStateException}s.
 *
 * <p>Contains all problems that were found.
 */
public final class StageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Kind of failure, which determines the exit code. */
    public enum Kind {
        /** The stage ran and failed: exit code 1. */
        FAILED(1),
        /** The user's input is wrong: exit code 2. */
        INPUT(2),
        /** A check failed: exit code 3. */
        CHECK(3);

        private final int exitCode;

        Kind(int exitCode) {
            this.exitCode = exitCode;
        }

        public int exitCode() {
            return exitCode;
        }
    }

    private final Kind kind;
    private final transient List<Problem> problems;

    private StageException(Kind kind, List<Problem> problems, @Nullable Throwable cause) {
        super(problems.stream().map(Problem::render).collect(Collectors.joining("\n")), cause);
        if (problems.isEmpty()) {
            throw new IllegalArgumentException("an error needs at least one problem");
        }
        this.kind = kind;
        this.problems = List.copyOf(problems);
    }

    public static StageException input(Problem problem) {
        return new StageException(Kind.INPUT, List.of(problem), null);
    }

    public static StageException input(List<Problem> problems) {
        return new StageException(Kind.INPUT, problems, null);
    }

    /** Throws an input error if there are problems. */
    public static void refuse(List<Problem> problems) {
        if (!problems.isEmpty()) {
            throw input(problems);
        }
    }

    public static StageException input(Problem problem, Throwable cause) {
        return new StageException(Kind.INPUT, List.of(problem), cause);
    }

    public static StageException failed(Problem problem) {
        return new StageException(Kind.FAILED, List.of(problem), null);
    }

    public static StageException failed(Problem problem, Throwable cause) {
        return new StageException(Kind.FAILED, List.of(problem), cause);
    }

    public static StageException check(Problem problem) {
        return new StageException(Kind.CHECK, List.of(problem), null);
    }

    public static StageException check(List<Problem> problems) {
        return new StageException(Kind.CHECK, problems, null);
    }

    public Kind kind() {
        return kind;
    }

    public List<Problem> problems() {
        return problems;
    }
}
