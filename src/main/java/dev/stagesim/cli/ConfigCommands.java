package dev.stagesim.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code config} group: compose any tree, show how overrides parse. */
@Command(name = "config", description = "Compose any configuration tree, or show how overrides parse.")
final class ConfigCommands implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    final CommonOptions common = new CommonOptions();

    static CommandLine group(Console console, Home home) {
        return new CommandLine(new ConfigCommands())
                .addSubcommand("show", new ConfigShowCommand(console, home))
                .addSubcommand("parse", new ConfigParseCommand(console));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "expected a command: show or parse");
    }
}
