package dev.stagesim.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The bare {@code stage} command: help and version. */
@Command(
        name = "stage",
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Describe a GPU/LLM workload, measure it, simulate it, and compare.",
            "",
            "Overrides follow Hydra's grammar: group=option, key.path=value, +new=value, ~gone.",
        },
        versionProvider = ProductVersion.class,
        subcommands = HelpCommand.class,
        footer = {
            "",
            "The main job:  stage compare model=qwen3 hardware=a100",
            "Results for programs go to stdout (the run directory), words for people to stderr.",
            "Exit codes: 0 done, 1 failed, 2 wrong input, 3 a check did not hold, 130 interrupted.",
        })
final class RootCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    boolean version;

    @Mixin
    final CommonOptions common = new CommonOptions();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given");
    }
}
