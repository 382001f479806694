package dev.stagesim.cli.runs;

import dev.stagesim.cli.console.AlignedTable;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.cli.run.Headlines;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Count;
import dev.stagesim.pipeline.RunCatalog;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunSubject;
import dev.stagesim.pipeline.store.RunSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one run: settings, inputs, outputs, headline metrics. */
@Command(name = "show", description = "Show one run: settings, inputs, outputs, headline metrics.")
public final class RunsShowCommand extends Subcommand {
    private static final int SHORT_HASH = 12;
    private static final int MAX_OUTPUTS = 20;

    @Parameters(paramLabel = "RUN", description = "Run id, its unique beginning, or the run's directory.")
    private String text = "";

    @Option(names = "--json", description = "Print run_meta.json unchanged.")
    private boolean json;

    @Option(names = "--check", description = "Compare every output with its recorded digest.")
    private boolean check;

    @Override
    public Integer call() throws IOException {
        RunCatalog catalog = new RunCatalog(Home.work());
        RunSummary run = catalog.find(text);
        Path meta = run.dir().resolve("run_meta.json");
        if (json && Files.exists(meta)) {
            console().out().print(InputFile.text(meta));
        } else {
            print(run);
        }
        if (check) {
            catalog.verify(run);
            console().info("every output is as it was written");
        }
        return ExitCode.DONE;
    }

    private void print(RunSummary run) throws IOException {
        console()
                .result(run.stage() + " " + run.runId() + "  " + RunsListCommand.state(run)
                        + (run.problem().isEmpty() ? "" : ": " + run.problem()));
        console().result("directory  " + Home.shown(run.dir()));
        if (run.meta().isPresent()) {
            print(run.meta().get(), RunSubject.of(run));
        }
    }

    private void print(RunMeta meta, RunSubject subject) {
        AlignedTable facts = new AlignedTable();
        facts.row("ended", meta.endedAt());
        Map<String, String> about = new LinkedHashMap<>();
        about.put("model", subject.model());
        about.put("hardware", subject.hardware());
        about.put("engine", subject.engine());
        about.put("workload", subject.workload());
        about.values().removeIf(String::isEmpty);
        about.forEach(facts::row);
        facts.row("commit", meta.gitCommit());
        if (!meta.config().overrides().isEmpty()) {
            facts.row("overrides", String.join(" ", meta.config().overrides()));
        }
        meta.inputs()
                .forEach(input ->
                        facts.row("input", input.role() + "  " + input.runId().orElse(input.path())));
        meta.outputs().stream()
                .limit(MAX_OUTPUTS)
                .forEach(output -> facts.row(
                        "output",
                        output.sha256().substring(0, SHORT_HASH) + "  " + output.path()
                                + output.rows()
                                        .map(rows -> "  (" + Count.of(rows, "row") + ")")
                                        .orElse("")));
        if (meta.outputs().size() > MAX_OUTPUTS) {
            facts.row("output", (meta.outputs().size() - MAX_OUTPUTS) + " more; --json lists all");
        }
        meta.warnings().forEach(warning -> facts.row("warning", warning.stage() + ": " + warning.message()));
        meta.checks().forEach(problem -> facts.row("failed", problem.where() + ": " + problem.what()));
        facts.lines().forEach(console()::result);
        Headlines.lines(meta.headlines()).forEach(console()::result);
    }
}
