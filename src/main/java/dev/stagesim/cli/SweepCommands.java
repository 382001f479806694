package dev.stagesim.cli;

import dev.stagesim.pipeline.StageRegistry;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code sweep} group: what is done with a sweep besides launching it by {@code --multirun}. */
@Command(
        name = "sweep",
        description = "Write job files for clusters, join the parts of a sweep, run again what failed.")
final class SweepCommands implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    final CommonOptions common = new CommonOptions();

    static CommandLine group(Console console, Home home, StageRegistry registry) {
        CommandLine emit = new CommandLine(new SweepEmitCommands())
                .addSubcommand("slurm", new SweepEmitSlurmCommand(console, home, registry))
                .addSubcommand("kubernetes", new SweepEmitKubernetesCommand(console, home, registry));
        return new CommandLine(new SweepCommands())
                .addSubcommand("emit", emit)
                .addSubcommand("merge", new SweepMergeCommand(console, home, registry))
                .addSubcommand("report", new SweepReportCommand(console, home, registry))
                .addSubcommand("rerun", new SweepRerunCommand(console, home, registry));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "expected a command: emit, merge, report or rerun");
    }
}
