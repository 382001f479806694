package dev.stagesim.pipeline;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.ModelCards;
import dev.stagesim.pipeline.request.Plan;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.Digests;
import dev.stagesim.pipeline.store.GitState;
import dev.stagesim.pipeline.store.IoErrors;
import dev.stagesim.pipeline.store.Machine;
import dev.stagesim.pipeline.store.RunLock;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunMetaJson;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.pipeline.store.RunStore;
import dev.stagesim.pipeline.store.TableConverter;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
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

/** Executes plans. Each run is made once, or found finished. Thread-safe. */
final class RunExecutor {
    private final Path home;
    private final Path workDir;
    private final RunStore store;
    private final RunReader reader;
    private final PipelineListener listener;
    private final Clock clock;
    private final GitState git;
    private final Machine machine = Machine.current();
    private final Set<String> forced = ConcurrentHashMap.newKeySet();
    private final Set<String> announced = ConcurrentHashMap.newKeySet();
    private final Set<StageWork> working = ConcurrentHashMap.newKeySet();
    private volatile Limits limits = Limits.of(LimitSettings.DEFAULT);

    RunExecutor(Path home, Path workDir, RunStore store, RunReader reader, PipelineListener listener, Clock clock) {
        this.home = home;
        this.workDir = workDir;
        this.store = store;
        this.reader = reader;
        this.listener = listener;
        this.clock = clock;
        this.git = GitState.query(home);
    }

    void limit(Limits others) {
        limits = others;
    }

    /**
     * Ends work that continues until the user stops it, such as a server. The working thread finishes the run.
     *
     * @return true if there is such work; otherwise the caller abandons the runs
     */
    boolean end() {
        boolean any = false;
        for (StageWork work : working) {
            any |= work.end();
        }
        return any;
    }

    /** Returns journals of unfinished runs. A later run with the same settings continues from its journal. */
    List<Path> journals() {
        return working.stream().flatMap(work -> work.journal().stream()).toList();
    }

    /** Returns the run of a plan. Makes it and its upstream runs if they do not exist. */
    RunRef make(Plan<?> plan, RunOptions options, boolean force) throws IOException {
        Map<String, RunRef> inputs = new LinkedHashMap<>();
        for (Plan.Input input : plan.inputs()) {
            input.given().ifPresent(this::warn);
            inputs.put(input.upstream().role(), input(input, options));
        }
        Job job = job(plan, inputs, options);
        return make(job, force && forced.add(job.question()));
    }

    /** Returns the run of an input. Makes it if it does not exist. */
    RunRef input(Plan.Input input, RunOptions options) throws IOException {
        return input.given().isPresent()
                ? input.given().get()
                : make(
                        input.made().orElseThrow(),
                        options.ofUpstream(input.upstream().further()),
                        false);
    }

    @SuppressWarnings("try") // the lock variable is unused
    private RunRef make(Job job, boolean redo) throws IOException {
        Plan<?> plan = job.plan();
        if (isOfAnother(job)) {
            return make(job.renamed(), redo);
        }
        Optional<RunRef> finished = redo ? Optional.empty() : finished(job);
        if (finished.isPresent()) {
            return finished.get();
        }
        store.tidy(plan.name());
        Path dir = store.runDir(plan.name(), job.runId());
        try (RunLock lock =
                store.lock(plan.name(), job.runId(), () -> listener.waiting(plan.name(), job.runId(), dir))) {
            // another thread or process may have finished the run during the wait, or died while it replaced the run
            store.recover(plan.name(), job.runId());
            if (!isOfAnother(job)) {
                Optional<RunRef> since = redo ? Optional.empty() : finished(job);
                return since.isPresent() ? since.get() : work(job);
            }
        }
        return make(job.renamed(), redo);
    }

    /** True if the directory of a job's id contains a finished run of another question with the same digest prefix. */
    private boolean isOfAnother(Job job) throws IOException {
        Path dir = store.runDir(job.plan().name(), job.runId());
        if (job.isRenamed() || !RunReader.looksFinished(dir)) {
            return false;
        }
        try {
            return !RunIdentity.answers(RunReader.meta(dir), job.params(), job.inputs());
        } catch (StageException damaged) {
            return false; // a damaged run is not replaced here; a request for the damaged run repairs it
        }
    }

    /** A run to be found or made. */
    private record Job(
            Plan<?> plan,
            String question,
            boolean isRenamed,
            JsonValue.Obj params,
            Map<String, RunRef> upstream,
            List<RunMeta.Input> inputs,
            RunOptions options) {
        String runId() {
            return RunIdentity.runId(plan, question, isRenamed);
        }

        /** Returns this job with an id that no other question has. */
        Job renamed() {
            return new Job(plan, question, true, params, upstream, inputs, options);
        }
    }

    private Job job(Plan<?> plan, Map<String, RunRef> upstream, RunOptions options) throws IOException {
        List<RunMeta.Input> inputs = new ArrayList<>();
        upstream.forEach((role, run) ->
                inputs.add(new RunMeta.Input(role, run.dir().toString(), Optional.of(run.runId()), run.sha256())));
        JsonValue.Obj params = RunIdentity.params(plan, inputs, reader, home);
        String moment = plan.stage().isNeverReused()
                ? "/" + clock.instant() + "/" + ProcessHandle.current().pid()
                : "";
        String question = RunIdentity.question(plan, params, inputs, machine.fingerprint() + moment, options);
        return new Job(plan, question, false, params, upstream, inputs, options);
    }

    /** Returns the finished run of a job. A damaged run counts as absent. */
    private Optional<RunRef> finished(Job job) throws IOException {
        Path dir = store.runDir(job.plan().name(), job.runId());
        if (!RunReader.looksFinished(dir)) {
            return Optional.empty();
        }
        try {
            RunRef run = reader.readVerified(dir, dir.toString());
            if (announced.add(job.runId())) {
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

    /** Repeats the warnings of a finished run. */
    void warn(RunRef run) {
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
            throw Pipeline.failure(stage, IoErrors.naming(e, partial));
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
            ModelCards.in(plan.settings()).forEach(card -> card.warnings().forEach(context::warn));
            plan.stage().run(plan.settings(), context);
        } finally {
            working.remove(context);
        }
        if (job.options().format() != TableFormat.CSV) {
            TableConverter.pack(plan.stage().spec().tables(), job.options().format(), context);
        }
        List<RunMeta.Output> outputs = Outputs.scan(plan.name(), partial);
        ConfigSnapshot.write(partial, plan, job.options().repetition(), workDir);
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

    /** Returns the warnings of the run and of its inputs, which also apply to this run. */
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

    /** Lists the outputs of a stage. */
    private static final class Outputs {
        private Outputs() {}

        /** Returns every file below the directory, with digest and rows, sorted by path. */
        static List<RunMeta.Output> scan(String stage, Path dir) throws IOException {
            for (String reserved : List.of(RunMetaJson.FILE, ConfigSnapshot.DIR)) {
                if (Files.exists(dir.resolve(reserved))) {
                    throw new IllegalStateException(stage + " wrote " + reserved + ", which the pipeline writes");
                }
            }
            // A workload may consist of thousands of traces.
            return Unchecked.parallel(Digests.filesBelow(dir), file -> output(dir, file));
        }

        private static RunMeta.Output output(Path dir, Path file) throws IOException {
            Digests.FileFacts facts = Digests.facts(file);
            return new RunMeta.Output(Digests.relative(dir, file), facts.sha256(), facts.rows());
        }

        /** Returns the key {@code name} of a section with a card. */
        static Optional<String> cardName(MapNode tree, String section) {
            return tree.get(section) instanceof MapNode card
                            && card.get("name") instanceof ScalarNode leaf
                            && leaf.value() instanceof String name
                            && !leaf.isMissing()
                    ? Optional.of(name)
                    : Optional.empty();
        }
    }
}
