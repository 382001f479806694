package dev.stagesim.pipeline;

import dev.stagesim.model.StageException;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * Plans and runs stages and their upstream stages, into run directories below {@code tmp/} of the working directory.
 *
 * <p>May be used by several threads; each run is made once. User errors are {@link StageException}s.
 */
public final class Pipeline {
    private final Path home;
    private final Path workDir;
    private final PipelineListener listener;
    private final RunStore store;
    private final Planner planner;
    private final RunMaker maker;
    private final SweepRuns sweeps;

    /**
     * Opens a pipeline.
     *
     * @param home product installation
     * @param workDir directory that paths in settings are relative to, and that holds {@code tmp/}
     */
    public Pipeline(StageRegistry registry, Path home, Path workDir, PipelineListener listener, Clock clock) {
        this(registry, home, workDir, runsRoot(workDir), listener, clock);
    }

    /** Opens a pipeline whose runs are in another directory. */
    public Pipeline(
            StageRegistry registry, Path home, Path workDir, Path runs, PipelineListener listener, Clock clock) {
        this.home = home;
        this.workDir = workDir;
        this.listener = listener;
        this.store = new RunStore(runs);
        RunReader reader = new RunReader();
        this.planner = new Planner(registry, reader, store, home, workDir);
        this.maker = new RunMaker(home, workDir, store, reader, listener, clock);
        this.sweeps = new SweepRuns(store, reader, maker, home);
    }

    /** Says what its runs may be expected to take. */
    public void limit(LimitSettings settings) {
        maker.limit(Limits.of(settings));
    }

    public PipelineListener listener() {
        return listener;
    }

    /** The installation. */
    public Path home() {
        return home;
    }

    /** The directory that relative paths of settings start from. */
    public Path workDir() {
        return workDir;
    }

    /** What sweeps need besides runs. */
    public SweepRuns sweeps() {
        return sweeps;
    }

    /** Where what is costly to make is kept between runs; may be deleted at any time. */
    public Path cache() {
        return store.cacheDir();
    }

    /** Where run directories are kept. */
    public static Path runsRoot(Path workDir) {
        return workDir.resolve("tmp");
    }

    /**
     * Binds and checks everything that can be known before a stage runs, and runs nothing.
     *
     * @throws StageException (input) with all problems
     */
    public <S extends Record> PlannedRun<S> plan(Stage<S> stage, RunRequest request, RunOptions options) {
        return guarded(stage.spec().name(), () -> planner.plan(stage, request, options));
    }

    /**
     * Runs what is planned, or finds its finished run.
     *
     * @throws StageException when the stage fails
     */
    public RunRef run(PlannedRun<?> run) {
        RunOptions options = run.options();
        return guarded(run.plan().name(), () -> maker.make(run.plan(), options, options.force()));
    }

    /**
     * Plans and runs a stage.
     *
     * @throws StageException when the input is wrong or the stage fails
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
        return StageException.failed(FileTrouble.problem("stage failed", stage, e), e);
    }

    /**
     * Ends work that goes on until a person ends it; its run is finished by the thread that works.
     *
     * @return whether there is such work; else the caller gives the runs up
     */
    public boolean end() {
        return maker.end();
    }

    /** Files that keep what unfinished runs have got so far, from which the same question goes on. */
    public List<Path> journals() {
        return maker.journals();
    }

    /** Deletes the runs that this pipeline has begun and not finished; to be called when the process is told to end. */
    public void abandon() {
        try {
            store.abandon();
        } catch (IOException e) {
            // the next run of the stage deletes what is left
            listener.warning("runs", FileTrouble.describe(e));
        }
    }

    /** The run of an input, made unless it is there. */
    RunRef made(Plan.Input input) throws IOException {
        return maker.input(input, RunOptions.DEFAULT);
    }
}
