package dev.stagesim.cli.runs;

import dev.stagesim.cli.console.AlignedTable;
import dev.stagesim.model.Count;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunSubject;
import dev.stagesim.pipeline.store.RunSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The newest runs as a table that fits on a screen.
 *
 * @param shown listed runs, the newest first
 * @param older number of older runs that are not listed
 * @param inputs number of runs that are not listed because other commands made them as inputs
 */
record RunTable(List<RunSummary> shown, int older, int inputs) {
    /** Maximum number of rows unless all runs are listed. */
    static final int SCREEN = 20;

    private static final int MAX_CELL = 28;
    private static final int MAX_WORKLOAD = 70;
    private static final String NEWEST = "9999";

    /**
     * Creates the table of runs.
     *
     * @param isAll whether no run is left out
     * @param isOfStage whether the runs belong to one stage, so that runs made by other commands count as well
     */
    static RunTable of(List<RunSummary> runs, boolean isAll, boolean isOfStage) {
        List<RunSummary> listed = runs.stream()
                .filter(run -> isAll || isOfStage || !isInput(run))
                .sorted(Comparator.comparing(RunTable::time).reversed())
                .toList();
        int rows = isAll ? listed.size() : Math.min(SCREEN, listed.size());
        return new RunTable(listed.subList(0, rows), listed.size() - rows, runs.size() - listed.size());
    }

    List<String> lines() throws IOException {
        AlignedTable table = new AlignedTable().row("run", "ended (UTC)", "model", "hardware", "engine", "workload");
        for (RunSummary run : shown) {
            RunSubject subject = RunSubject.of(run);
            table.row(
                    run.runId(),
                    run.meta().isPresent()
                            ? time(run).replace('T', ' ').replaceFirst("(:\\d\\d):.*", "$1")
                            : RunsListCommand.state(run),
                    subject.model(),
                    RunSubject.cut(subject.hardware(), MAX_CELL),
                    subject.engine(),
                    RunSubject.cut(subject.workload(), MAX_WORKLOAD));
        }
        return table.lines();
    }

    /** Returns the numbers of runs that are not listed; empty if all are. */
    Optional<String> note() {
        String all = Stream.of(
                        older > 0 ? Count.of(older, "older run") : "",
                        inputs > 0 ? Count.of(inputs, "run") + " that other commands made as inputs" : "")
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" and "));
        return Optional.of(all).filter(text -> !text.isEmpty());
    }

    /** Returns true if the command of another stage made a run, such as the workload of a simulation. */
    private static boolean isInput(RunSummary run) {
        return run.meta()
                .flatMap(meta -> meta.config().name())
                .filter(command -> !command.equals(run.stage())
                        && StageRegistry.standard().names().contains(command))
                .isPresent();
    }

    /** Returns the time at which a run ended, or at which its directory changed if it did not end. */
    private static String time(RunSummary run) {
        return run.meta().map(RunMeta::endedAt).orElseGet(() -> {
            try {
                return Files.getLastModifiedTime(run.dir()).toString();
            } catch (IOException e) {
                return NEWEST; // a running process has not moved it to its place
            }
        });
    }
}
