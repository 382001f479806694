package dev.stagesim.cli;

import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.sweep.ClusterJob;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes a script for {@code sbatch}: an array whose tasks are the parts of a sweep. */
@Command(
        name = "slurm",
        description = "Write a script for sbatch: an array whose tasks are the parts of a sweep. They run in this"
                + " directory, which the nodes must share, as they must the product's.")
final class SweepEmitSlurmCommand implements Callable<Integer> {
    private final Console console;
    private final Home home;
    private final StageRegistry registry;

    @Mixin
    private final EmitMixin emit = new EmitMixin();

    @Option(
            names = "--sbatch",
            paramLabel = "OPTION",
            description = "A further option of sbatch, such as --sbatch=--partition=short; may be repeated.")
    private List<String> extra = new ArrayList<>();

    @Mixin
    final CommonOptions common = new CommonOptions();

    SweepEmitSlurmCommand(Console console, Home home, StageRegistry registry) {
        this.console = console;
        this.home = home;
        this.registry = registry;
    }

    @Override
    public Integer call() throws IOException {
        String program = home.dir().resolve("stage").toString();
        ClusterJob job = emit.job(home, registry, program, Home.work().toString());
        emit.write(console, job.slurm(extra), job);
        return ExitCode.DONE;
    }
}
