package dev.stagesim.cli;

import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.pipeline.StageRegistry;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command with the common options. Console, installation and stages come with the root command. */
abstract class Subcommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    CommandSpec spec;

    @Mixin
    final CommandSpec common = OptionBinding.common();

    private Cli.RootCommand root() {
        return (Cli.RootCommand) spec.root().userObject();
    }

    /** Returns whether {@code --debug} was given. */
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
