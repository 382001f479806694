package dev.stagesim.cli.runs;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.RunCatalog;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunSummary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists finished and unfinished runs, and sweeps, the newest first. */
@Command(name = "list", description = "List the newest runs, finished or not, and sweeps.")
public final class RunsListCommand extends Subcommand {
    @Parameters(arity = "0..1", paramLabel = "STAGE", description = "Only the runs of this stage.")
    private @Nullable String stage;

    @Option(names = "--all", description = "List all runs, also inputs that other commands made.")
    private boolean all;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        List<String> folders = new ArrayList<>(StageRegistry.standard().names());
        folders.add("sweeps");
        if (stage != null && !folders.contains(stage)) {
            throw StageException.input(
                    Problem.usage(stage, "no such stage").options(folders).didYouMean(Suggest.near(stage, folders)));
        }
        RunCatalog catalog = new RunCatalog(Home.work());
        List<RunSummary> runs = stage == null ? catalog.list() : catalog.list(stage);
        if (json) {
            console()
                    .result(Json.compact(JsonValue.object()
                            .put(
                                    "runs",
                                    JsonValue.of(runs.stream()
                                            .map(RunsListCommand::object)
                                            .toList()))
                            .build()));
            return ExitCode.DONE;
        }
        if (runs.isEmpty()) {
            console()
                    .info("no runs" + (stage == null ? "" : " of " + stage) + " below "
                            + Home.work().resolve("tmp"));
            return ExitCode.DONE;
        }
        RunTable table = RunTable.of(runs, all, stage != null);
        table.lines().forEach(console()::result);
        table.note().ifPresent(note -> console()
                .info(note + " not listed: stage runs list " + (stage == null ? "" : stage + " ") + "--all"));
        return ExitCode.DONE;
    }

    static String state(RunSummary run) {
        return KeyNames.constant(run.state());
    }

    private static JsonValue object(RunSummary run) {
        return JsonValue.object()
                .put("stage", run.stage())
                .put("run_id", run.runId())
                .put("run_dir", Home.shown(run.dir()))
                .put("state", state(run))
                .putOrNull("ended_at", run.meta().map(RunMeta::endedAt))
                .putOrNull("model", run.meta().flatMap(RunMeta::model))
                .putOrNull("hardware", run.meta().flatMap(RunMeta::hardware))
                .build();
    }
}
