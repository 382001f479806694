package dev.stagesim.cli.console;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.store.IoErrors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Formats a failure for the user and selects the exit code. Prints a stack trace only with {@code --debug}. */
public record ErrorReport(Console console, boolean debug) {
    private static final int MAX_LINE_LENGTH = 600;

    /** Prints the failure and returns its exit code. */
    public int print(Throwable failure) {
        if (failure instanceof IllegalStateException) {
            ShutdownFlag.stay(); // the runtime rejects new hooks during shutdown
        }
        if (debug) {
            failure.printStackTrace(console.err());
        }
        if (failure instanceof StageException wrong) {
            printAll(wrong.problems());
            return wrong.kind().exitCode();
        }
        if (failure instanceof InvalidPathException name) {
            print(InputFile.impossible(name));
            return StageException.Kind.INPUT.exitCode();
        }
        if (failure instanceof UncheckedIOException && failure.getCause() instanceof IOException io) {
            return print(io);
        }
        if (failure instanceof IOException io) {
            return print(io);
        }
        Throwable first = first(failure);
        print(first instanceof OutOfMemoryError || first instanceof LinkageError ? lack(first) : bug(first));
        return ExitCode.FAILED;
    }

    /**
     * Prints each problem and each list of searched directories once, because several stages of a run may report the
     * same.
     */
    private void printAll(List<Problem> problems) {
        Map<List<String>, Problem> distinct = new LinkedHashMap<>();
        problems.forEach(problem -> distinct.putIfAbsent(List.of(problem.where(), problem.what()), problem));
        List<Problem> remaining = new ArrayList<>(distinct.values());
        while (!remaining.isEmpty()) {
            Problem problem = remaining.remove(0);
            List<Problem.Note> notes = new ArrayList<>(problem.notes());
            notes.removeIf(note -> note.label().equals("searched")
                    && remaining.stream().anyMatch(later -> later.notes().contains(note)));
            print(new Problem(problem.category(), problem.where(), problem.what(), notes));
        }
    }

    /** Returns the cause of a failed class initialisation, unless a part of the program could not be read. */
    private static Throwable first(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof ExceptionInInitializerError && cause != null && !(cause instanceof IOException)
                ? cause
                : failure;
    }

    /** Returns the problem of a missing system resource. */
    private static Problem lack(Throwable failure) {
        String message = Objects.requireNonNullElse(failure.getMessage(), "none left");
        if (failure instanceof LinkageError) {
            return Problem.of("incomplete program", "", failure.getClass().getSimpleName() + ": " + message)
                    .hint("a part of stagesim cannot be loaded: raise the limit of open files (ulimit -n), or build or"
                            + " install it again");
        }
        return message.contains("native thread")
                ? Problem.of("out of processes", "", "the system refuses another thread")
                        .hint("raise the limit of processes and threads (ulimit -u, or pids of the container), or stop"
                                + " other processes")
                : Problem.of("out of memory", "", message)
                        .hint("give the JVM more, for example STAGE_JAVA_OPTS=-Xmx8g ./stage ...");
    }

    private static Problem bug(Throwable failure) {
        return Problem.of("internal error", "", failure.getClass().getSimpleName() + ": " + failure.getMessage())
                .hint("this is a bug in stagesim; run again with --debug for the details to report");
    }

    /**
     * Reports that the result could not be written. A closed pipe, as with {@code head}, is not an error: the exit code
     * is 141, as for a process ended by the pipe.
     *
     * @param closed true if the reader has closed the pipe; false for other failures such as a full disk
     */
    public int lostOutput(boolean closed) {
        if (closed) {
            return ExitCode.CLOSED_PIPE;
        }
        print(Problem.of("file error", "stdout", "the result could not be written"));
        return ExitCode.FAILED;
    }

    private int print(IOException io) {
        print(IoErrors.problem("file error", "", io));
        return ExitCode.FAILED;
    }

    private void print(Problem problem) {
        String text = cut(problem.render());
        int colon = problem.category().length();
        console.info(console.red(text.substring(0, colon)) + text.substring(colon));
    }

    /** Shortens long lines, because values of the user may have any length. */
    private static String cut(String text) {
        return text.lines()
                .map(line -> line.codePointCount(0, line.length()) <= MAX_LINE_LENGTH
                        ? line
                        : line.substring(0, line.offsetByCodePoints(0, MAX_LINE_LENGTH / 2)) + " ... "
                                + line.codePointCount(0, line.length()) + " characters in all ... "
                                + line.substring(line.offsetByCodePoints(line.length(), -MAX_LINE_LENGTH / 4)))
                .collect(Collectors.joining("\n"));
    }
}
