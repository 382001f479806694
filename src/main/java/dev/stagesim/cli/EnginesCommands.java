package dev.stagesim.cli;

import dev.stagesim.bench.engine.EngineStore;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code engines} group: list, install and remove optional engines. */
@Command(name = "engines", description = "List, install and remove optional engines, which are no part of the product.")
final class EnginesCommands implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    final CommonOptions common = new CommonOptions();

    static CommandLine group(Console console, Home home) {
        EngineStore store = EngineStore.of(home.dir());
        return new CommandLine(new EnginesCommands())
                .addSubcommand("list", new EnginesListCommand(console, store))
                .addSubcommand("install", new EnginesInstallCommand(console, store))
                .addSubcommand("remove", new EnginesRemoveCommand(console, store));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "expected a command: list, install or remove");
    }
}
