package dev.stagesim.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Prints the script that teaches a shell to complete commands, flags, groups, options and keys. */
@Command(
        name = "completion",
        description = "Print the completion script of a shell.",
        footer = {"", "Bash:  eval \"$(./stage completion bash)\"", "Fish:  ./stage completion fish | source"})
final class CompletionCommand implements Callable<Integer> {
    /** The shells there are scripts for. */
    enum Shell {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Console console;

    @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Shell shell;

    @Mixin
    final CommonOptions common = new CommonOptions();

    CompletionCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        String name = "completion." + shell;
        try (InputStream script = Objects.requireNonNull(CompletionCommand.class.getResourceAsStream(name), name)) {
            console.out().print(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
        return ExitCode.DONE;
    }
}
