package dev.stagesim.pipeline;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.Effort;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Runs stages and their upstream stages, into run directories below {@code tmp/} of the working directory.
 *
 * <p>May be used by several threads; each run is made once. User errors are {@link StageException}s.
 */
public final class Pipeline {
    private final Path home;
    private final Path workDir;
    private final PipelineListener listener;
    private final Clock clock;
    private final RunStore store;
    private final RunReader reader = new RunReader();
    private final Planner planner;
    private final GitState git;
    private final Machine machine = Machine.current();
    private final Set<String> forced = ConcurrentHashMap.newKeySet();
    private final Set<String> announced = ConcurrentHashMap.newKeySet();
    private final Set<String> tidied = ConcurrentHashMap.newKeySet();
    private volatile Limits limits = Limits.of(LimitSettings.DEFAULT);
    private final Set<StageWork> working = ConcurrentHashMap.newKeySet();

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
        this.clock = clock;
        this.store = new RunStore(runs);
        this.planner = new Planner(registry, reader, store, home, workDir);
        this.git = GitState.ask(home);
    }

    /** Says what its runs may be expected to take. */
    public void limit(LimitSettings settings) {
        limits = Limits.of(settings);
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

    /** Where the sweeps are, one directory each. */
    public Path sweeps() {
        return store.root().resolve(RunStore.SWEEPS);
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
    public void check(Stage<?> stage, RunRequest request, RunOptions options) {
        guarded(stage, () -> {
            planner.plan(stage, request, options);
            return stage;
        });
    }

    /**
     * Checks a run as {@link #check} does, and lists the runs it is made of, in the order in which they are made.
     *
     * @throws StageException (input) with all problems
     */
    public List<ChainLink> chain(Stage<?> stage, RunRequest request, RunOptions options) {
        return guarded(stage, () -> ChainLink.of(planner.plan(stage, request, options)));
    }

    /**
     * What a run asks.
     *
     * @param digest of the settings and inputs of the whole chain; the same question has the same on every machine
     * @param effort what the run itself is expected to take, those it rests on left out
     * @param rests digests of the questions of the runs it is made from, where they are yet to be made
     */
    public record Question(String digest, Effort effort, List<String> rests) {
        public Question {
            rests = List.copyOf(rests);
        }

        /** A question that rests on nothing. */
        public Question(String digest, Effort effort) {
            this(digest, effort, List.of());
        }
    }

    /**
     * Checks a run as {@link #check} does, and tells what it asks without running anything.
     *
     * @throws StageException (input) with all problems
     */
    public Question question(Stage<?> stage, RunRequest request, RunOptions options) {
        return guarded(stage, () -> {
            Plan<?> plan = planner.plan(stage, request, options);
            List<String> rests = new ArrayList<>();
            return new Question(question(plan, options, rests), plan.effort(), rests);
        });
    }

    /**
     * A finished run of this or another working directory, its artifacts compared with their digests.
     *
     * @throws StageException (input) when it is not whole
     */
    public RunRef finished(Path dir) throws IOException {
        return reader.whole(dir, dir.toString());
    }

    /**
     * Takes a finished run of another working directory over, and the runs beside it that it was made from; what is here
     * already stays.
     *
     * @param dir the run's directory there, {@code .../tmp/<stage>/<run id>}
     * @return the run here
     * @throws StageException (input) when it is not whole
     */
    public RunRef adopt(Path dir) throws IOException {
        RunRef run = new RunAdoption(store, reader).adopt(dir);
        warn(run);
        return run;
    }

    /** The directory of a run and of those that it was made from, if they are in one place. */
    public List<Path> withInputs(RunRef run) throws IOException {
        return new RunAdoption(store, reader).withInputs(run);
    }

    /** Digest of what a plan asks; adds those of the runs to be made that it rests on. */
    private String question(Plan<?> plan, RunOptions options, List<String> rests) throws IOException {
        List<RunMeta.Input> inputs = new ArrayList<>();
        for (Plan.Input input : plan.inputs()) {
            String digest;
            if (input.given().isPresent()) {
                digest = input.given().get().sha256();
            } else {
                RunOptions further = options.further(input.upstream().further());
                digest = question(input.made().orElseThrow(), further, rests);
                rests.add(digest);
            }
            inputs.add(new RunMeta.Input(input.upstream().role(), "", Optional.empty(), digest));
        }
        JsonValue.Obj params = params(plan, inputs);
        return RunIdentity.question(plan, params, inputs, "", options.repetition());
    }

    /**
     * Runs a stage, or finds its finished run.
     *
     * @throws StageException when the input is wrong or the stage fails
     */
    public RunRef run(Stage<?> stage, RunRequest request, RunOptions options) {
        return guarded(stage, () -> make(planner.plan(stage, request, options), options, options.force()));
    }

    /**
     * Makes the runs that a run rests on, unless they are there, and not the run itself.
     *
     * @throws StageException when the input is wrong or a stage fails
     */
    public void prepare(Stage<?> stage, RunRequest request, RunOptions options) {
        guarded(stage, () -> {
            for (Plan.Input input : planner.plan(stage, request, options).inputs()) {
                if (input.made().isPresent()) {
                    make(input.made().get(), options.further(input.upstream().further()), false);
                }
            }
            return stage;
        });
    }

    private interface Work<T> {
        T done() throws IOException;
    }

    private static <T> T guarded(Stage<?> stage, Work<T> work) {
        try {
            return work.done();
        } catch (IOException | UncheckedIOException e) {
            throw failure(stage.spec().name(), e);
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
        boolean any = false;
        for (StageWork work : working) {
            any |= work.end();
        }
        return any;
    }

    /** Files that keep what unfinished runs have got so far, from which the same question goes on. */
    public List<Path> journals() {
        return working.stream().flatMap(work -> work.journal().stream()).toList();
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

    <S extends Record> Plan<S> planned(Stage<S> stage, RunRequest request) throws IOException {
        return planner.plan(stage, request, RunOptions.DEFAULT);
    }

    /** The run of an input, made unless it is there. */
    RunRef made(Plan.Input input) throws IOException {
        return input.given().isPresent()
                ? input.given().get()
                : make(input.made().orElseThrow(), RunOptions.DEFAULT, false);
    }

    /**
     * Keeps a configuration that is yet to be run, for {@code --config-snapshot}.
     *
     * @param dir where to keep it
     * @throws StageException (input) when it cannot work
     */
    public void keepConfig(Path dir, Stage<?> stage, RunRequest request) throws IOException {
        ConfigSnapshot.keep(dir, planner.plan(stage, request, RunOptions.DEFAULT), Map.of());
    }

    private RunRef make(Plan<?> plan, RunOptions options, boolean force) throws IOException {
        Map<String, RunRef> inputs = new LinkedHashMap<>();
        for (Plan.Input input : plan.inputs()) {
            RunRef run = input.given().isPresent()
                    ? input.given().get()
                    : make(
                            input.made().orElseThrow(),
                            options.further(input.upstream().further()),
                            false);
            if (input.given().isPresent()) {
                warn(run);
            }
            inputs.put(input.upstream().role(), run);
        }
        Job job = job(plan, inputs, options);
        return make(job, force && forced.add(job.question()));
    }

    @SuppressWarnings("try") // the lock is held, not used
    private RunRef make(Job job, boolean redo) throws IOException {
        Plan<?> plan = job.plan();
        if (isOfAnother(job)) {
            return make(job.renamed(), redo);
        }
        Optional<RunRef> finished = redo ? Optional.empty() : finished(job);
        if (finished.isPresent()) {
            return finished.get();
        }
        if (tidied.add(plan.name())) {
            store.sweepLeftovers(plan.name());
        }
        Path dir = store.runDir(plan.name(), job.runId());
        try (RunLock lock =
                store.lock(plan.name(), job.runId(), () -> listener.waiting(plan.name(), job.runId(), dir))) {
            // another thread or process may have finished it while we waited, or died while it replaced it
            store.recover(plan.name(), job.runId());
            if (!isOfAnother(job)) {
                Optional<RunRef> since = redo ? Optional.empty() : finished(job);
                return since.isPresent() ? since.get() : work(job);
            }
        }
        return make(job.renamed(), redo);
    }

    /** True when the directory of a job's id holds the finished run of another question, whose digest begins alike. */
    private boolean isOfAnother(Job job) throws IOException {
        Path dir = store.runDir(job.plan().name(), job.runId());
        if (job.isRenamed() || !RunReader.looksFinished(dir)) {
            return false;
        }
        try {
            RunMeta meta = reader.whole(dir, dir.toString()).meta();
            return !RunIdentity.answers(meta, job.params(), job.inputs());
        } catch (StageException damaged) {
            return false; // made again, or not, by whoever asks for what it holds
        }
    }

    /** One run that is to be there. */
    private record Job(
            Plan<?> plan,
            String question,
            boolean isRenamed,
            JsonValue.Obj params,
            Map<String, RunRef> upstream,
            List<RunMeta.Input> inputs,
            int repeat) {
        String runId() {
            return RunIdentity.runId(plan, question, isRenamed);
        }

        /** The same under an id that no other question has. */
        Job renamed() {
            return new Job(plan, question, true, params, upstream, inputs, repeat);
        }
    }

    private Job job(Plan<?> plan, Map<String, RunRef> upstream, RunOptions options) throws IOException {
        List<RunMeta.Input> inputs = new ArrayList<>();
        upstream.forEach((role, run) ->
                inputs.add(new RunMeta.Input(role, run.dir().toString(), Optional.of(run.runId()), run.sha256())));
        JsonValue.Obj params = params(plan, inputs);
        String moment = plan.stage().happens()
                ? "/" + clock.instant() + "/" + ProcessHandle.current().pid()
                : "";
        String question =
                RunIdentity.question(plan, params, inputs, machine.fingerprint() + moment, options.repetition());
        return new Job(plan, question, false, params, upstream, inputs, options.repetition());
    }

    /** The stage's own settings; adds the files it reads to the inputs. */
    private <S extends Record> JsonValue.Obj params(Plan<S> plan, List<RunMeta.Input> inputs) throws IOException {
        Map<String, String> digests = new LinkedHashMap<>();
        List<Path> reads = plan.stage().reads(plan.settings(), home);
        List<Path> files =
                reads.stream().map(given -> workDir.resolve(given.toString())).toList();
        List<String> found = reader.digests(files);
        for (int i = 0; i < found.size(); i++) {
            Path given = reads.get(i);
            Path file = files.get(i);
            String digest = found.get(i);
            digests.put(given.toString(), digest);
            if (given.startsWith(home)) {
                // A shipped file goes by its path below the installation, wherever that is.
                digests.put(home.relativize(given).toString(), digest);
            }
            inputs.add(new RunMeta.Input("file", file.toString(), Optional.empty(), digest));
        }
        return RunIdentity.params(plan, digests);
    }

    /** The finished run of a job; one that is damaged counts as none. */
    private Optional<RunRef> finished(Job job) throws IOException {
        Path dir = store.runDir(job.plan().name(), job.runId());
        if (!RunReader.looksFinished(dir)) {
            return Optional.empty();
        }
        try {
            RunRef run = reader.whole(dir, dir.toString());
            if (announced.add(job.runId())) {
                warn(run);
                listener.reused(run);
            }
            return Optional.of(run);
        } catch (StageException e) {
            String what =
                    e.problems().get(0).where() + " " + e.problems().get(0).what();
            listener.warning(job.plan().name(), "run " + job.runId() + " is damaged and is made again: " + what);
            return Optional.empty();
        }
    }

    /** Repeats what a finished run warned of. */
    private void warn(RunRef run) {
        run.meta().warnings().forEach(warning -> listener.warning(warning.stage(), warning.message()));
    }

    private RunRef work(Job job) throws IOException {
        String stage = job.plan().name();
        listener.started(stage, job.runId());
        Path partial = store.newPartial(stage, job.runId());
        boolean done = false;
        try {
            RunMeta meta = work(job.plan(), job, partial);
            Json.write(partial.resolve(RunMetaJson.FILE), JsonArtifacts.RUN_META, RunMetaJson.write(meta));
            Path dir = store.commit(stage, job.runId());
            done = true;
            RunRef run = new RunRef(dir, meta, RunMetaJson.digest(meta), false);
            reader.remember(run);
            announced.add(job.runId());
            listener.finished(run);
            return run;
        } catch (IOException | UncheckedIOException e) {
            throw failure(stage, FileTrouble.naming(e, partial));
        } finally {
            if (!done) {
                store.discardPartial(stage, job.runId());
            }
        }
    }

    private <S extends Record> RunMeta work(Plan<S> plan, Job job, Path partial) throws IOException {
        Map<String, RunInput> inputs = new LinkedHashMap<>();
        job.upstream().forEach((role, run) -> inputs.put(role, run.input()));
        StageWork context = new StageWork(plan, partial, home, store.cacheDir(), inputs, listener, limits);
        Instant started = clock.instant();
        working.add(context);
        try {
            plan.stage().run(plan.settings(), context);
        } finally {
            working.remove(context);
        }
        List<RunMeta.Output> outputs = Outputs.scan(plan.name(), partial);
        ConfigSnapshot.write(partial, plan, job.repeat(), workDir);
        RunRequest request = plan.request();
        return new RunMeta(
                job.runId(),
                plan.name(),
                Outputs.cardName(plan.tree(), "model").or(() -> inherited(job, RunMeta::model)),
                Outputs.cardName(plan.tree(), "hardware").or(() -> inherited(job, RunMeta::hardware)),
                stamp(started),
                stamp(clock.instant()),
                git.get().commit(),
                git.get().dirty(),
                machine.json(),
                job.params(),
                new RunMeta.Config(request.configPath(), request.configName(), request.overrides()),
                job.inputs(),
                outputs,
                warnings(job, context),
                context.headlines(),
                context.checks());
    }

    /** What the inputs warned of, which holds for what is made from them, and what the run itself warns of. */
    private static List<RunMeta.Warning> warnings(Job job, StageWork work) {
        return Stream.concat(
                        job.upstream().values().stream().flatMap(run -> run.meta().warnings().stream()),
                        work.warnings().stream().map(text -> new RunMeta.Warning(work.stage(), text)))
                .distinct()
                .toList();
    }

    private static Optional<String> inherited(Job job, Function<RunMeta, Optional<String>> field) {
        return job.upstream().values().stream()
                .map(run -> field.apply(run.meta()))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static String stamp(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MILLIS).toString();
    }
}
