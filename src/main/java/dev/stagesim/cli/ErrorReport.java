package dev.stagesim.cli;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.FileTrouble;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.InvalidPathException;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Turns whatever went wrong into words for a person and an exit code; a stack trace only with {@code --debug}. */
record ErrorReport(Console console, boolean debug) {
    private static final int LONGEST_LINE = 600;

    /** Prints the failure and returns the exit code it calls for. */
    int print(Throwable failure) {
        if (failure instanceof IllegalStateException) {
            Ending.stay(); // hooks are refused from then on
        }
        if (debug) {
            failure.printStackTrace(console.err());
        }
        if (failure instanceof StageException wrong) {
            // several stages of one run may miss the same key
            Set<List<String>> told = new HashSet<>();
            wrong.problems().stream()
                    .filter(problem -> told.add(List.of(problem.where(), problem.what())))
                    .forEach(this::print);
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

    /** What made the start of a class fail, unless a part of the program could not be read. */
    private static Throwable first(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof ExceptionInInitializerError && cause != null && !(cause instanceof IOException)
                ? cause
                : failure;
    }

    /** What the machine does not give the process. */
    private static Problem lack(Throwable failure) {
        String message = Objects.requireNonNullElse(failure.getMessage(), "none left");
        if (failure instanceof LinkageError) {
            return Problem.of("incomplete program", "", failure.getClass().getSimpleName() + ": " + message)
                    .hint("a part of stagesim cannot be loaded: raise the limit of open files (ulimit -n), or build or"
                            + " install it again");
        }
        return message.contains("native thread")
                ? Problem.of("out of processes", "", "the system refuses another thread")
                        .hint("raise the limit of processes and threads (ulimit -u, or pids of the container), or end"
                                + " some")
                : Problem.of("out of memory", "", message)
                        .hint("give the JVM more, for example STAGE_JAVA_OPTS=-Xmx8g ./stage ...");
    }

    private static Problem bug(Throwable failure) {
        return Problem.of("internal error", "", failure.getClass().getSimpleName() + ": " + failure.getMessage())
                .hint("this is a bug in stagesim; run again with --debug for the details to report");
    }

    /**
     * The result could not be written. A reader that has seen enough, as {@code head} has, is no error to tell: the exit
     * code is that of a process that the closed pipe ends.
     *
     * @param closed true when nobody reads the other end any more, false for a full disk, say
     */
    int lostOutput(boolean closed) {
        if (closed) {
            return ExitCode.CLOSED_PIPE;
        }
        print(Problem.of("file error", "stdout", "the result could not be written"));
        return ExitCode.FAILED;
    }

    private int print(IOException io) {
        print(FileTrouble.problem("file error", "", io));
        return ExitCode.FAILED;
    }

    private void print(Problem problem) {
        String text = cut(problem.render());
        int colon = problem.category().length();
        console.say(console.red(text.substring(0, colon)) + text.substring(colon));
    }

    /** Lines stay readable, whatever the user's values are. */
    private static String cut(String text) {
        return text.lines()
                .map(line -> line.codePointCount(0, line.length()) <= LONGEST_LINE
                        ? line
                        : line.substring(0, line.offsetByCodePoints(0, LONGEST_LINE / 2)) + " ... "
                                + line.codePointCount(0, line.length()) + " characters in all ... "
                                + line.substring(line.offsetByCodePoints(line.length(), -LONGEST_LINE / 4)))
                .collect(Collectors.joining("\n"));
    }
}
