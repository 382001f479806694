package dev.stagesim.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code sweep emit} group: job files for the schedulers of clusters. */
@Command(name = "emit", description = "Write the file with which a cluster's scheduler runs the parts of a sweep.")
final class SweepEmitCommands implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    final CommonOptions common = new CommonOptions();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "expected a scheduler: slurm or kubernetes");
    }
}
