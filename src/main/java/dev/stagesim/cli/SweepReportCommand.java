package dev.stagesim.cli;

import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.sweep.SweepDirs;
import dev.stagesim.sweep.SweepInvocation;
import dev.stagesim.sweep.SweepMerge;
import dev.stagesim.sweep.SweepReport;
import dev.stagesim.sweep.SweepResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes the report of a sweep beside measurements of the same choices. */
@Command(
        name = "report",
        description = "Write the report of a sweep with the regret of deciding by it, against a sweep of measurements"
                + " over the same keys. The plain report.html is written whenever a sweep is launched.")
final class SweepReportCommand implements Callable<Integer> {
    private final Console console;
    private final Home home;
    private final StageRegistry registry;

    @Parameters(paramLabel = "DIR", description = "The directory of the sweep, tmp/sweeps/<id>.")
    private Path dir = Path.of("");

    @Option(
            names = "--measured",
            required = true,
            paramLabel = "DIR",
            description = "The directory of a sweep of measurements, such as one of real_bench.")
    private Path measured = Path.of("");

    @Option(
            names = {"--output", "-o"},
            paramLabel = "FILE",
            description = "Write to this file instead of stdout.")
    private @Nullable Path output;

    @Mixin
    final CommonOptions common = new CommonOptions();

    SweepReportCommand(Console console, Home home, StageRegistry registry) {
        this.console = console;
        this.home = home;
        this.registry = registry;
    }

    @Override
    public Integer call() throws IOException {
        Pipeline pipeline = new Pipeline(registry, home.dir(), Home.work(), PipelineListener.NONE, Clock.systemUTC());
        Path sweep = SweepDirs.find(dir);
        SweepResult simulated = SweepMerge.merge(pipeline, List.of(sweep));
        SweepResult real = SweepMerge.merge(pipeline, List.of(SweepDirs.find(measured)));
        String html = SweepReport.html(SweepInvocation.read(sweep).stage(), simulated, real);
        ResultStream.text(console, output, List.of(), out -> out.write(html));
        return ExitCode.DONE;
    }
}
