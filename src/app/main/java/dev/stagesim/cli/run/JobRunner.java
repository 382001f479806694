package dev.stagesim.cli.run;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.OptionRules;
import dev.stagesim.comparison.ComparisonDocument;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.Composition;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.LimitSettings;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.ModelFiles;
import dev.stagesim.pipeline.request.PlannedStage;
import dev.stagesim.pipeline.request.Repetition;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.request.TypedArguments;
import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.SweepSettings;
import dev.stagesim.sweep.SweeperSettings;
import dev.stagesim.sweep.launch.LaunchOptions;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.LauncherSettings;
import dev.stagesim.sweep.launch.Launchers;
import dev.stagesim.sweep.search.Candidate;
import dev.stagesim.sweep.search.CandidateVerdict;
import dev.stagesim.sweep.search.LoadKey;
import dev.stagesim.sweep.search.Search;
import dev.stagesim.sweep.search.SearchResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Runs one job of a stage, or a sweep, and prints the result. */
record JobRunner(
        Console console,
        Home home,
        StageRegistry registry,
        Stage<?> stage,
        RunOptionsMixin options,
        LimitSettings limits,
        TypedArguments typed) {
    int single(List<String> overrides, JobComposer composer) {
        Composition composition = composer.compose(overrides);
        composition.warnings().forEach(this::warn);
        otherScheduler(composition.choices(), overrides).ifPresent(console::warn);
        return run(
                composer.request(composition, overrides, this::warn),
                Repetition.split(overrides).options(options.force.given()));
    }

    private void warn(String text) {
        console.warn(typed.quoted(text));
    }

    /**
     * Returns the scheduler that another config, such as hardware=local, chose although the user chose an engine with
     * its own scheduler.
     */
    static Optional<String> otherScheduler(Map<String, Optional<String>> choices, List<String> overrides) {
        Optional<String> engine = choices.getOrDefault("engine", Optional.empty());
        Optional<String> scheduler = choices.getOrDefault("scheduler", Optional.empty());
        boolean isTyped = overrides.stream().anyMatch(word -> word.startsWith("engine="))
                && overrides.stream().noneMatch(word -> word.startsWith("scheduler"));
        return isTyped && engine.isPresent() && scheduler.isPresent() && !engine.equals(scheduler)
                ? Optional.of("engine=" + engine.get()
                        + " does not choose the scheduler here: another config chooses scheduler=" + scheduler.get()
                        + "; add scheduler=<option> to choose it")
                : Optional.empty();
    }

    /** Repeats the run of a snapshot, with overrides of plain values. */
    int again(ConfigSnapshot.Snapshot snapshot, List<String> words) {
        RunRequest kept = snapshot.request();
        Repetition given = Repetition.split(words);
        Optional<Integer> repeat =
                given.number().or(() -> Optional.of(snapshot.repeat()).filter(number -> number > 0));
        MapNode tree = overridden(kept.config(), SettingsSchema.of(stage.spec().settings()), given.overrides());
        List<String> all = new ArrayList<>(kept.overrides());
        all.addAll(words);
        TableFormat format = Repetition.split(all).format().orElse(TableFormat.CSV);
        RunRequest request =
                new RunRequest(tree, all, kept.choices(), kept.configName(), kept.configPath(), kept.bindOptions());
        return run(request, new RunOptions(options.force.given(), repeat, format));
    }

    private int run(RunRequest request, RunOptions launch) {
        Progress progress = new Progress(console, false);
        Pipeline pipeline = pipeline(progress);
        if (options.dryRun.given()) {
            dryRun(pipeline.plan(stage, request, launch).chain());
            return ExitCode.DONE;
        }
        return checks(whileWatched(console, progress, pipeline, SignalHandler.Work.RUN, () -> {
            RunRef run = pipeline.run(stage, request, launch);
            progress.clear();
            if (options.nativeLog.given()) {
                nativeLog(run);
            }
            print(run);
            return run;
        }));
    }

    private void nativeLog(RunRef run) {
        Path log = run.dir().resolve(stage.nativeLog().orElseThrow());
        try (BufferedReader lines = InputFile.lines(log)) {
            lines.lines().forEach(console::info);
        } catch (IOException | UncheckedIOException e) {
            throw StageException.failed(Problem.artifact(log.toString(), "cannot be read"), e);
        }
    }

    /** Prints the stages that would run, in order, and the source of their inputs. */
    private void dryRun(List<PlannedStage> chain) {
        if (options.json.given()) {
            List<JsonValue> links = new ArrayList<>();
            chain.forEach(link -> links.add(JsonValue.object()
                    .put("stage", link.stage())
                    .put("role", link.role())
                    .putOrNull("given", link.given().map(Home::shown))
                    .build()));
            console.result(Json.compact(JsonValue.object()
                    .put("stage", stage.spec().name())
                    .put("would_run", JsonValue.of(links))
                    .build()));
            return;
        }
        chain.forEach(link -> console.info(String.format(Locale.ROOT, "%-14s %s", link.stage(), link.description())));
        console.info("the configuration is complete; nothing was run");
    }

    int sweep(List<String> words, JobComposer composer, ConfigOptions config) {
        SweepArguments split = SweepArguments.split(words);
        boolean isConfined = options.confined.given();
        SweepSettings settings = SweepConfig.read(home, config.extraRoots(), split.sweep(), isConfined);
        boolean isSearch = settings.sweeper() instanceof SweeperSettings.Searching;
        if (options.jobs.given()) {
            String section = isSearch ? "sweeper" : "launcher";
            List<String> how = SweepConfig.withJobs(section, split.sweep(), options.jobs.value());
            settings = SweepConfig.read(home, config.extraRoots(), how, isConfined);
        }
        if (isSearch) {
            return search(split, settings, composer);
        }
        Launcher launcher = Launchers.of(settings.launcher());
        Progress progress = new Progress(console, true, typed::typed);
        Pipeline pipeline = pipeline(progress);
        SweepJobs jobs = new SweepJobs(pipeline, stage, composer, settings, this::warn);
        return whileWatched(console, progress, pipeline, SignalHandler.Work.JOBS, () -> {
            Manifest manifest = jobs.manifest(split.stage(), options.force.given());
            if (!options.dryRun.given()) {
                jobs.keep(manifest, split, config);
            }
            LaunchOptions launch = new LaunchOptions(options.failFast.given(), Optional.empty());
            return new SweepRunner(console, options, typed::typed).run(pipeline, manifest, launcher, launch, progress);
        });
    }

    private int search(SweepArguments split, SweepSettings settings, JobComposer composer) {
        SearchRunner.refuse(split.sweep(), settings.launcher(), options);
        if (Repetition.split(split.stage()).format().isPresent()) {
            throw StageException.input(Problem.usage("output.format", "has no effect: a search makes no runs"));
        }
        Progress progress = new Progress(console, true, typed::typed);
        Pipeline pipeline = pipeline(progress);
        SweepJobs jobs = new SweepJobs(pipeline, stage, composer, settings, this::warn);
        Search search =
                new Search(pipeline, stage, (SweeperSettings.Searching) settings.sweeper(), settings.launcher());
        return whileWatched(console, progress, pipeline, SignalHandler.Work.JOBS, () -> {
            List<String> words = LoadKey.complete(settings.sweeper(), split.stage());
            List<Candidate> candidates = search.candidates(jobs.jobs(words), jobs.requests());
            return new SearchRunner(console, options, progress, stage.spec().name(), typed).run(search, candidates);
        });
    }

    @SuppressWarnings("try") // the heartbeat runs until it is closed
    static <T> T whileWatched(
            Console console, Progress progress, Pipeline pipeline, SignalHandler.Work what, Supplier<T> work) {
        try (SignalHandler watch = SignalHandler.watch(console, progress, pipeline, what);
                Progress.Beat beat = progress.beat()) {
            T result = work.get();
            watch.finished();
            return result;
        } finally {
            progress.clear();
        }
    }

    private Pipeline pipeline(Progress progress) {
        Pipeline pipeline = new Pipeline(registry, home.dir(), Home.work(), progress, Clock.systemUTC());
        pipeline.limit(limits);
        return pipeline;
    }

    private void print(RunRef run) {
        Headlines.lines(run.meta().headlines()).forEach(console::info);
        if (options.json.given()) {
            console.result(Json.compact(json(run).build()));
        } else {
            console.result(Home.shown(run.dir()));
        }
    }

    private JsonObjectBuilder json(RunRef run) {
        JsonObjectBuilder figures = JsonValue.object();
        run.meta().headlines().forEach(figures::put);
        JsonObjectBuilder json = JsonValue.object()
                .put("stage", stage.spec().name())
                .put("run_id", run.runId())
                .put("run_dir", Home.shown(run.dir()))
                .put("reused", run.reused())
                .put("headlines", figures.build())
                .put(
                        "checks",
                        JsonValue.strings(Stream.concat(
                                        run.meta().checks().stream().map(Problem::render), metLimits(run).stream())
                                .toList()));
        Path conditions = run.dir().resolve(JsonArtifact.of(RunConditions.class).name());
        if (Files.exists(conditions)) {
            json.put("conditions", read(conditions).value());
        }
        return json;
    }

    /** Returns the passed checks of a comparison that the user set. */
    private static List<String> metLimits(RunRef run) {
        Path file = run.dir().resolve(JsonArtifact.of(ComparisonDocument.class).name());
        if (!Files.exists(file)) {
            return List.of();
        }
        LocatedJson verdict = read(file).get("verdict");
        return !verdict.get("limits").asString().equals("user")
                ? List.of()
                : verdict.get("checks").items().stream()
                        .filter(check -> check.get("holds").asBool())
                        .map(check -> "check passed: compare.tolerance."
                                + check.get("name").asString() + "_percent: "
                                + check.get("difference_percent").asDouble() + " %, limit "
                                + check.get("limit_percent").asDouble() + " %")
                        .toList();
    }

    private static LocatedJson read(Path file) {
        return Unchecked.get(() -> Json.read(file));
    }

    /** A failed check determines the exit code, but only after its run was written and printed. */
    private static int checks(RunRef run) {
        List<Problem> failed = run.meta().checks();
        if (failed.isEmpty()) {
            return ExitCode.DONE;
        }
        throw StageException.check(failed);
    }

    /**
     * Applies overrides of values to the stored configuration of a run. Groups cannot be chosen, because no config
     * files are read.
     */
    private static MapNode overridden(MapNode kept, SettingsSchema schema, List<String> overrides) {
        if (overrides.isEmpty()) {
            return kept;
        }
        ComposeRequest request = new ComposeRequest(
                Optional.empty(),
                overrides,
                ComposeRequest.Mode.RUN,
                Dialect.STAGE,
                Optional.of(new SchemaKeys(schema, Optional.of(kept))));
        Composition composed = ConfigEngine.open(List.of()).compose(request);
        Resolvers none = Resolvers.of(List.of());
        return schema.complete(
                ModelFiles.filled(composed, schema, () -> none, Home.work()).config());
    }

    /** Runs a search and prints the winners, and the reasons why others lost. */
    private record SearchRunner(
            Console console, RunOptionsMixin options, Progress progress, String stage, TypedArguments typed) {
        private static final int MAX_SHOWN = 25;

        /**
         * Rejects arguments that a search ignores. A search runs on threads of this process or on Spark, and {@code
         * jobs} belongs to the sweeper.
         */
        static void refuse(List<String> words, LauncherSettings launcher, RunOptionsMixin options) {
            OptionRules.excludes("--fail-fast", options.failFast.given(), "a sweeper that searches", true);
            List<Problem> problems = words.stream()
                    .filter(word -> !(launcher instanceof LauncherSettings.Spark))
                    .filter(word -> word.startsWith("launcher") && !word.equals("launcher=local"))
                    .map(word -> Problem.usage(
                                    word, "has no effect on a search, because its simulations depend on each other")
                            .note("expected", "launcher=local or launcher=spark")
                            .hint("sweeper.jobs sets the number of threads"))
                    .toList();
            StageException.refuse(problems);
        }

        int run(Search search, List<Candidate> candidates) {
            if (options.dryRun.given()) {
                candidates.forEach(candidate -> console.result("#" + candidate.num() + "  "
                        + String.join(" ", typed.typed(candidate.overrides()))
                        + candidate.refused().map(why -> "  refused: " + why).orElse("")));
                return ExitCode.DONE;
            }
            progress.simulated(0);
            SearchResult result = search.run(candidates, options.force.given(), progress::simulated);
            progress.searched();
            print(result);
            return result.winners().isEmpty() ? ExitCode.CHECK : ExitCode.DONE;
        }

        private void print(SearchResult result) {
            console.info(String.format(
                    Locale.ROOT,
                    "search         %s  %d simulations in %.1f s%s",
                    Home.shown(result.dir()),
                    result.simulations(),
                    result.seconds(),
                    result.found() == 0 ? "" : ", " + result.found() + " of them from an earlier search"));
            List<CandidateVerdict> sorted = new ArrayList<>(result.verdicts());
            sorted.sort(Comparator.comparing(CandidateVerdict::rank));
            List<List<String>> overrides = sorted.stream()
                    .map(verdict -> typed.typed(verdict.candidate().overrides()))
                    .toList();
            for (CandidateVerdict verdict : sorted.subList(0, Math.min(MAX_SHOWN, sorted.size()))) {
                String rank = verdict.rank().text().replace('_', ' ');
                console.info("  #" + verdict.candidate().num() + "  "
                        + (verdict.rank() == CandidateVerdict.Rank.WON ? rank : console.dim(rank)) + "  "
                        + SweepTable.label(typed.typed(verdict.candidate().overrides()), overrides) + "  "
                        + verdict.why());
            }
            if (sorted.size() > MAX_SHOWN) {
                console.info("  ... and " + (sorted.size() - MAX_SHOWN) + " more in candidates.csv");
            }
            if (result.winners().isEmpty()) {
                console.info("no candidate meets the requirements");
            } else {
                console.info("run it: ./stage " + stage + " --config-snapshot DIR, with a directory printed below");
            }
            if (options.json.given()) {
                console.result(Json.compact(JsonValue.object()
                        .put("search_id", result.id())
                        .put("search_dir", Home.shown(result.dir()))
                        .put("simulations", result.simulations())
                        .put(
                                "configs",
                                JsonValue.strings(result.configs().stream()
                                        .map(Home::shown)
                                        .toList()))
                        .build()));
            } else {
                result.configs().forEach(dir -> console.result(Home.shown(dir)));
            }
        }
    }
}
