package dev.stagesim.cli;

import dev.stagesim.pipeline.RunCatalog;
import dev.stagesim.pipeline.RunSummary;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Deletes runs; refuses those that others were made from. */
@Command(name = "rm", description = "Delete runs; refuses those that other runs were made from.")
final class RunsRemoveCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(arity = "1..*", paramLabel = "RUN", description = "Run ids, unique beginnings, or directories.")
    private List<String> texts = List.of();

    @Option(names = "--force", description = "Delete them even though other runs were made from them.")
    private boolean force;

    @Mixin
    final CommonOptions common = new CommonOptions();

    RunsRemoveCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        RunCatalog catalog = new RunCatalog(Home.work());
        List<RunSummary> runs = new ArrayList<>();
        for (String text : texts) {
            runs.add(catalog.find(text));
        }
        catalog.remove(runs, force);
        runs.forEach(run -> console.say("deleted " + Home.shown(run.dir())));
        return ExitCode.DONE;
    }
}
