package dev.stagesim.pipeline;

import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.Plan;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.IoErrors;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.pipeline.store.RunStore;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * Plans and runs stages and their upstream stages, in run directories below {@code tmp/} of the working directory.
 *
 * <p>Thread-safe: each run is made once. User errors are {@link StageException}s.
 */
public final class Pipeline {
    private final Path home;
    private final Path workDir;
    private final PipelineListener listener;
    private final RunStore store;
    private final Planner planner;
    private final RunExecutor executor;
    private final SweepRuns sweeps;

    /**
     * Creates a pipeline.
     *
     * @param home product installation
     * @param workDir directory that contains {@code tmp/} and that relative paths in settings start from
     */
    public Pipeline(StageRegistry registry, Path home, Path workDir, PipelineListener listener, Clock clock) {
        this(registry, home, workDir, runsRoot(workDir), listener, clock);
    }

    /** Creates a pipeline with runs in another directory. */
    public Pipeline(
            StageRegistry registry, Path home, Path workDir, Path runs, PipelineListener listener, Clock clock) {
        this.home = home;
        this.workDir = workDir;
        this.listener = listener;
        this.store = new RunStore(runs);
        RunReader reader = new RunReader();
        this.planner = new Planner(registry, reader, store, home, workDir);
        this.executor = new RunExecutor(home, workDir, store, reader, listener, clock);
        this.sweeps = new SweepRuns(store, reader, executor, home);
    }

    /** Sets the limits of the expected cost of runs. */
    public void limit(LimitSettings settings) {
        executor.limit(Limits.of(settings));
    }

    public PipelineListener listener() {
        return listener;
    }

    /** Returns the installation directory. */
    public Path home() {
        return home;
    }

    /** Returns the directory that relative paths of settings start from. */
    public Path workDir() {
        return workDir;
    }

    /** Returns the operations for sweeps. */
    public SweepRuns sweeps() {
        return sweeps;
    }

    /** Returns the directory of values that are expensive to compute. It may be deleted at any time. */
    public Path cache() {
        return store.cacheDir();
    }

    /** Returns the directory of the run directories. */
    public static Path runsRoot(Path workDir) {
        return workDir.resolve("tmp");
    }

    /**
     * Binds and checks everything that can be checked before a stage runs. Runs nothing.
     *
     * @throws StageException (input) with all problems
     */
    public <S extends Record> PlannedRun<S> plan(Stage<S> stage, RunRequest request, RunOptions options) {
        return guarded(stage.spec().name(), () -> planner.plan(stage, request, options));
    }

    /**
     * Executes a planned run, or finds its finished run.
     *
     * @throws StageException if the stage fails
     */
    public RunRef run(PlannedRun<?> run) {
        RunOptions options = run.options();
        return guarded(run.plan().name(), () -> executor.make(run.plan(), options, options.force()));
    }

    /**
     * Plans and runs a stage.
     *
     * @throws StageException if the input is invalid or the stage fails
     */
    public RunRef run(Stage<?> stage, RunRequest request, RunOptions options) {
        return run(plan(stage, request, options));
    }

    interface Work<T> {
        T done() throws IOException;
    }

    static <T> T guarded(String stage, Work<T> work) {
        try {
            return work.done();
        } catch (IOException | UncheckedIOException e) {
            throw failure(stage, e);
        }
    }

    static StageException failure(String stage, Exception e) {
        return StageException.failed(IoErrors.problem("stage failed", stage, e), e);
    }

    /**
     * Ends work that continues until the user stops it, such as a server. The working thread finishes the run.
     *
     * @return true if there is such work; otherwise the caller abandons the runs
     */
    public boolean end() {
        return executor.end();
    }

    /** Returns journals of unfinished runs. A later run with the same settings continues from its journal. */
    public List<Path> journals() {
        return executor.journals();
    }

    /** Deletes the unfinished runs of this pipeline. Called when the process receives a signal. */
    public void abandon() {
        try {
            store.abandon();
        } catch (IOException e) {
            // the next run of the stage deletes the remaining files
            listener.warning("runs", IoErrors.describe(e));
        }
    }

    /** Returns the run of an input. Makes it if it does not exist. */
    RunRef made(Plan.Input input) throws IOException {
        return executor.input(input, RunOptions.DEFAULT);
    }
}
