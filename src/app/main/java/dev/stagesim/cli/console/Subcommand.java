package dev.stagesim.cli.console;

import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.pipeline.StageRegistry;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command with the common options. The root command provides console, installation and stages. */
public abstract class Subcommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    public CommandSpec spec;

    @Mixin
    protected final CommandSpec common = OptionBinding.common();

    private RootCommand root() {
        return (RootCommand) spec.root().userObject();
    }

    /** Returns whether {@code --debug} was given. */
    protected final boolean debug() {
        return Boolean.TRUE.equals(common.findOption("--debug").getValue());
    }

    protected final Console console() {
        return root().console;
    }

    protected final Home home() {
        return root().home;
    }

    protected final StageRegistry registry() {
        return root().registry;
    }

    protected final EngineStore store() {
        return EngineStore.of(home().dir());
    }
}
