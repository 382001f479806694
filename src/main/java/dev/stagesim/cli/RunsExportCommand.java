package dev.stagesim.cli;

import dev.stagesim.io.measured.BlisTrace;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.RunCatalog;
import dev.stagesim.pipeline.RunMeta;
import dev.stagesim.pipeline.RunSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a run's requests in the format of another tool. */
@Command(
        name = "export",
        description = "Write a run's requests and their times as a BLIS TraceV2 (trace.yaml and trace.csv).",
        footer = {"", "Example: stage runs export vidur_sim-efaedd5cd6 --output=trace"})
final class RunsExportCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(paramLabel = "RUN", description = "Run id, its unique beginning, or the run's directory.")
    private String text = "";

    @Option(names = "--output", required = true, paramLabel = "DIR", description = "Directory to write into.")
    private Path output = Path.of("");

    @Mixin
    final CommonOptions common = new CommonOptions();

    RunsExportCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        RunSummary run = new RunCatalog(Home.work()).find(text);
        if (!BlisTrace.canWrite(run.dir())) {
            throw StageException.input(
                    Problem.of("usage error", text, "has no requests to export: it is a run of " + run.stage())
                            .hint("runs of workload, real_bench, vidur_sim and serve_mock have requests"));
        }
        Files.createDirectories(output);
        BlisTrace.write(
                run.dir(),
                run.stage().equals("real_bench"),
                run.meta().flatMap(RunMeta::model).orElse(""),
                output);
        console.result(Home.shown(output.resolve("trace.csv")));
        return ExitCode.DONE;
    }
}
