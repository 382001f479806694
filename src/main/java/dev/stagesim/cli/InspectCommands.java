package dev.stagesim.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code inspect} group: look into execution traces. */
@Command(
        name = "inspect",
        description = {
            "Look into Chakra execution traces: .et files, older .eg files, either compressed by gzip.",
            "",
            "With a file alone: its messages as JSON lines, as show does.",
        })
final class InspectCommands implements Callable<Integer> {
    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "Trace to show.")
    private @Nullable Path file;

    @Mixin
    final CommonOptions common = new CommonOptions();

    private InspectCommands(Console console) {
        this.console = console;
    }

    static CommandLine group(Console console) {
        return new CommandLine(new InspectCommands(console))
                .addSubcommand("show", new InspectShowCommand(console))
                .addSubcommand("stats", new InspectStatsCommand(console))
                .addSubcommand("graph", new InspectGraphCommand(console))
                .addSubcommand("timeline", new InspectTimelineCommand(console))
                .addSubcommand("diff", new InspectDiffCommand(console))
                .addSubcommand("check", new InspectCheckCommand(console));
    }

    @Override
    public Integer call() throws IOException {
        if (file == null) {
            throw new ParameterException(
                    spec.commandLine(), "expected a trace, or a command: show, stats, graph, timeline, diff or check");
        }
        return InspectShowCommand.show(console, file, false, Long.MAX_VALUE);
    }
}
