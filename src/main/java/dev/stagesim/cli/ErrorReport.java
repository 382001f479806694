package dev.stagesim.cli;

import dev.stagesim.model.Problem;
import dev.stagesim.model.Problem.Note;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.FileTrouble;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Turns whatever went wrong into words for a person and an exit code; a stack trace only with {@code --debug}. */
final class ErrorReport {
    private static final int LONGEST_LIST = 300;

    private final Console console;
    private final boolean debug;

    ErrorReport(Console console, boolean debug) {
        this.console = console;
        this.debug = debug;
    }

    /** Prints the failure and returns the exit code it calls for. */
    int print(Throwable failure) {
        if (debug) {
            failure.printStackTrace(console.err());
        }
        if (failure instanceof StageException wrong) {
            wrong.problems().forEach(this::print);
            return wrong.kind().exitCode();
        }
        if (failure instanceof UncheckedIOException && failure.getCause() instanceof IOException io) {
            return print(io, ExitCode.FAILED);
        }
        if (failure instanceof IOException io) {
            return print(io, ExitCode.FAILED);
        }
        if (failure instanceof OutOfMemoryError) {
            print(Problem.of("out of memory", "", String.valueOf(failure.getMessage()))
                    .hint("give the JVM more, for example STAGE_JAVA_OPTS=-Xmx8g ./stage ..."));
            return ExitCode.FAILED;
        }
        print(Problem.of("internal error", "", failure.getClass().getSimpleName() + ": " + failure.getMessage())
                .hint("this is a bug in stagesim; run again with --debug for the details to report"));
        return ExitCode.FAILED;
    }

    /** The result could not be written, to a full disk or a closed pipe, say. */
    int lostOutput() {
        print(Problem.of("file error", "stdout", "the result could not be written"));
        return ExitCode.FAILED;
    }

    private int print(IOException io, int code) {
        print(Problem.of("file error", "", FileTrouble.describe(io)));
        return code;
    }

    private void print(Problem problem) {
        String text = shortened(problem).render();
        int colon = problem.category().length();
        console.say(console.red(text.substring(0, colon)) + text.substring(colon));
    }

    /** A hundred models are listed by their beginning and their number: the suggestion stands beside them. */
    private static Problem shortened(Problem problem) {
        return new Problem(
                problem.category(),
                problem.where(),
                problem.what(),
                problem.notes().stream()
                        .map(note -> note.label().equals("options") ? new Note("options", few(note.text())) : note)
                        .toList());
    }

    private static String few(String options) {
        if (options.length() <= LONGEST_LIST) {
            return options;
        }
        int end = options.lastIndexOf(", ", LONGEST_LIST);
        long all = options.chars().filter(c -> c == ',').count() + 1;
        return options.substring(0, end) + " ... " + all + " in all; the tab key or --help lists them";
    }
}
