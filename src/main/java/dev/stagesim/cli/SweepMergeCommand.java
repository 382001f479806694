package dev.stagesim.cli;

import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.sweep.SweepMerge;
import dev.stagesim.sweep.SweepResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Joins the parts of a sweep. */
@Command(
        name = "merge",
        description = "Join the parts of a sweep, from one or several directories, into this one: the same tables and"
                + " runs as those of one launch.")
final class SweepMergeCommand implements Callable<Integer> {
    private final Console console;
    private final Home home;
    private final StageRegistry registry;

    @Parameters(
            arity = "1..*",
            paramLabel = "DIR",
            description = "The directory of a sweep, or a working directory that has one sweep.")
    private List<Path> dirs = new ArrayList<>();

    @Option(names = "--json", description = "Print one JSON object instead of the run directories.")
    private boolean json;

    @Mixin
    final CommonOptions common = new CommonOptions();

    SweepMergeCommand(Console console, Home home, StageRegistry registry) {
        this.console = console;
        this.home = home;
        this.registry = registry;
    }

    @Override
    public Integer call() throws IOException {
        Pipeline pipeline = new Pipeline(registry, home.dir(), Home.work(), PipelineListener.NONE, Clock.systemUTC());
        SweepResult result = SweepMerge.merge(pipeline, dirs);
        SweepRunner printer = new SweepRunner(console, RunOptionsMixin.printing(json));
        printer.print(result);
        return printer.outcome(result);
    }
}
