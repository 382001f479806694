package dev.stagesim.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code runs} group: list, show and delete runs. */
@Command(name = "runs", description = "List, show, export and delete runs below tmp/ of the working directory.")
final class RunsCommands implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    final CommonOptions common = new CommonOptions();

    static CommandLine group(Console console) {
        return new CommandLine(new RunsCommands())
                .addSubcommand("list", new RunsListCommand(console))
                .addSubcommand("show", new RunsShowCommand(console))
                .addSubcommand("export", new RunsExportCommand(console))
                .addSubcommand("rm", new RunsRemoveCommand(console));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "expected a command: list, show, export or rm");
    }
}
