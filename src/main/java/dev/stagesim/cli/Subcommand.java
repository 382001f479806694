package dev.stagesim.cli;

import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.pipeline.StageRegistry;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command with the options that every command has; console, installation and stages are those of {@code stage}. */
abstract class Subcommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec spec;

    @Mixin
    final CommandSpec common = Opt.common();

    private Cli.RootCommand root() {
        return (Cli.RootCommand) spec.root().userObject();
    }

    /** Whether stack traces of failures are asked for. */
    final boolean debug() {
        return Boolean.TRUE.equals(common.findOption("--debug").getValue());
    }

    final Console console() {
        return root().console;
    }

    final Home home() {
        return root().home;
    }

    final StageRegistry registry() {
        return root().registry;
    }

    final EngineStore store() {
        return EngineStore.of(home().dir());
    }
}
