package dev.stagesim.pipeline;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.store.RunMetaJson;
import dev.stagesim.pipeline.store.RunStore;
import dev.stagesim.pipeline.store.RunSummary;
import dev.stagesim.pipeline.store.RunSummary.State;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Lists, finds and deletes run directories. */
public final class RunCatalog {
    private final RunStore store;

    /** Creates a catalog of the runs below {@code tmp/} of a working directory. */
    public RunCatalog(Path workDir) {
        this.store = new RunStore(Pipeline.runsRoot(workDir));
    }

    /** Returns all runs, finished or not, and all sweeps, sorted by stage and id. */
    public List<RunSummary> list() throws IOException {
        List<RunSummary> all = new ArrayList<>();
        for (String stage : store.stages()) {
            all.addAll(list(stage));
        }
        return all;
    }

    /** Returns the runs of one stage. */
    public List<RunSummary> list(String stage) throws IOException {
        List<RunSummary> runs = new ArrayList<>();
        List<String> finished = store.runIds(stage);
        for (String runId : finished) {
            runs.add(summary(stage, runId));
        }
        for (String runId : store.unfinished(stage)) {
            if (!finished.contains(runId)) {
                State state = store.isLocked(stage, runId) ? State.RUNNING : State.ABANDONED;
                runs.add(new RunSummary(stage, runId, store.runDir(stage, runId), state, Optional.empty(), ""));
            }
        }
        return runs;
    }

    /** Returns the summary of one directory. Its state shows whether the directory exists and is finished. */
    public RunSummary summary(String stage, String runId) throws IOException {
        Path dir = store.runDir(stage, runId);
        if (stage.equals(RunStore.SWEEPS)) {
            return new RunSummary(stage, runId, dir, State.SWEEP, Optional.empty(), "");
        }
        if (!RunReader.looksFinished(dir)) {
            return new RunSummary(stage, runId, dir, State.BROKEN, Optional.empty(), "it has no " + RunMetaJson.FILE);
        }
        try {
            return new RunSummary(stage, runId, dir, State.FINISHED, Optional.of(RunReader.meta(dir)), "");
        } catch (StageException e) {
            Problem first = e.problems().get(0);
            String why = first.where() + ": " + first.what();
            return new RunSummary(stage, runId, dir, State.BROKEN, Optional.empty(), why);
        }
    }

    /**
     * Returns the run with an id, the only run whose id or hex digits start with the text, or the run in a directory.
     *
     * @throws StageException (input) if there is no such run, or more than one
     */
    public RunSummary find(String text) throws IOException {
        List<RunSummary> all = list();
        Path dir = store.root().resolve(text).toAbsolutePath().normalize();
        Path fromWork = store.root().resolveSibling(text).toAbsolutePath().normalize();
        List<RunSummary> found = all.stream()
                .filter(run -> {
                    Path there = run.dir().toAbsolutePath().normalize();
                    return run.runId().equals(text) || there.equals(dir) || there.equals(fromWork);
                })
                .toList();
        if (found.isEmpty() && !text.isEmpty()) {
            found = all.stream().filter(run -> beginsWith(run.runId(), text)).toList();
        }
        if (found.size() == 1) {
            return found.get(0);
        }
        List<String> ids =
                (found.isEmpty() ? all : found).stream().map(RunSummary::runId).toList();
        Problem problem =
                Problem.of("usage error", text, found.isEmpty() ? "no such run" : "several runs start with this text");
        throw StageException.input(
                found.isEmpty()
                        ? problem.didYouMean(Suggest.near(text, ids)).hint("./stage runs list shows all")
                        : problem.options(ids));
    }

    private static boolean beginsWith(String runId, String text) {
        return runId.startsWith(text)
                || runId.substring(runId.lastIndexOf('-') + 1).startsWith(text);
    }

    /**
     * Compares every output of a finished run with its digest.
     *
     * @throws StageException (input) with the changed files
     */
    public void verify(RunSummary run) throws IOException {
        new RunReader().readVerified(run.dir(), run.runId());
    }

    /** Returns the ids of finished runs that read a run, sorted. */
    private static List<String> dependents(String runId, List<RunSummary> all) {
        return all.stream()
                .filter(run -> run.meta().stream()
                        .flatMap(meta -> meta.inputs().stream())
                        .anyMatch(input -> input.runId().equals(Optional.of(runId))))
                .map(RunSummary::runId)
                .sorted()
                .toList();
    }

    /**
     * Deletes all given runs, or none.
     *
     * @param force also delete runs that other runs depend on
     * @throws StageException (input) if a run is in progress, or a remaining run depends on a deleted one
     */
    public void remove(List<RunSummary> runs, boolean force) throws IOException {
        List<RunSummary> all = list();
        Set<String> going = runs.stream().map(RunSummary::runId).collect(Collectors.toCollection(HashSet::new));
        List<Problem> problems = new ArrayList<>();
        for (RunSummary run : runs) {
            List<String> staying = dependents(run.runId(), all).stream()
                    .filter(id -> !going.contains(id))
                    .toList();
            if (run.state() == State.RUNNING) {
                problems.add(Problem.of("usage error", run.runId(), "a process works on it"));
            } else if (!staying.isEmpty() && !force) {
                problems.add(Problem.of("usage error", run.runId(), "other runs were made from it")
                        .note("needed by", String.join(", ", staying))
                        .hint("delete those as well, or use --force"));
            }
        }
        StageException.refuse(problems);
        for (RunSummary run : runs) {
            store.remove(run.stage(), run.runId());
        }
    }
}
