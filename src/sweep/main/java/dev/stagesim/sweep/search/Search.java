package dev.stagesim.sweep.search;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.OracleRunner;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.store.Digests;
import dev.stagesim.pipeline.store.IoErrors;
import dev.stagesim.report.Chart;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.SweepFiles;
import dev.stagesim.sweep.SweeperSettings;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.LauncherSettings;
import dev.stagesim.sweep.launch.Launchers;
import dev.stagesim.sweep.launch.SearchOracle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * Searches combinations of swept values with the stage as oracle. Writes the result of every candidate and the winners'
 * configurations to {@code tmp/sweeps/<id>/}.
 */
public final class Search {
    private static final int HEX_DIGITS = 10;
    private static final int MAX_PROBLEMS = 10;

    /** Number of candidates of which remarks are reported. */
    private static final int MAX_NOTED = 16;

    private final Pipeline pipeline;
    private final OracleRunner oracle;
    private final Stage<?> stage;
    private SweeperSettings.Searching settings;
    private LoadKey loadKey = LoadKey.NONE;
    private final Launcher launcher;

    /**
     * Creates a search.
     *
     * @param launcher launcher of the simulations; it must not be a shard
     */
    public Search(Pipeline pipeline, Stage<?> stage, SweeperSettings.Searching settings, LauncherSettings launcher) {
        this.launcher = Launchers.of(launcher);
        this.pipeline = pipeline;
        this.oracle = new OracleRunner(pipeline);
        this.stage = stage;
        this.settings = settings;
    }

    /**
     * Composes the candidates. Candidates that cannot run are kept with the reason.
     *
     * @throws StageException (input) if no candidate can run
     */
    public List<Candidate> candidates(List<List<String>> jobs, Function<List<String>, RunRequest> composer) {
        List<Candidate> candidates = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (List<String> job : jobs) {
            int num = candidates.size();
            try {
                RunRequest request = composer.apply(job);
                candidates.add(
                        new Candidate(num, job, Optional.of(request), oracle.known(stage, request), Optional.empty()));
            } catch (StageException wrong) {
                if (wrong.kind() != StageException.Kind.INPUT) {
                    throw wrong;
                }
                problems.addAll(wrong.problems());
                String why =
                        wrong.problems().get(0).render().lines().findFirst().orElse("");
                candidates.add(new Candidate(num, job, Optional.empty(), new TreeMap<>(), Optional.of(why)));
            }
        }
        if (candidates.stream().allMatch(candidate -> candidate.refused().isPresent())) {
            throw StageException.input(
                    problems.stream().distinct().limit(MAX_PROBLEMS).toList());
        }
        return candidates;
    }

    /**
     * Runs the search, or resumes an interrupted one.
     *
     * @param ignoresJournal true to repeat simulations that an earlier launch has recorded
     * @param progress receives the number of simulations
     */
    public SearchResult run(List<Candidate> candidates, boolean ignoresJournal, IntConsumer progress) {
        try {
            resolve(candidates);
            notes(candidates);
            return search(candidates, ignoresJournal, progress);
        } catch (IOException | UncheckedIOException e) {
            throw StageException.failed(
                    IoErrors.problem("sweep failed", stage.spec().name(), e), e);
        }
    }

    /** Reports the remarks about defaults of the first loads that are simulated. */
    private void notes(List<Candidate> candidates) {
        double start = settings instanceof SweeperSettings.Capacity capacity ? capacity.start() : Double.NaN;
        candidates.stream()
                .flatMap(candidate -> candidate.request().stream())
                .limit(MAX_NOTED)
                .map(request -> request.with(loadKey.changes(request, start)))
                .forEach(this::notes);
    }

    private void notes(RunRequest request) {
        try {
            oracle.notes(stage, request);
        } catch (StageException impossible) {
            // the simulation refuses the candidate for this reason
        }
    }

    private SearchResult search(List<Candidate> candidates, boolean ignoresJournal, IntConsumer progress)
            throws IOException {
        int threads = settings.jobs().orElseGet(launcher::maxConcurrentQueries);
        long begun = System.nanoTime();
        String id = id(candidates);
        try (Journal journal = Journal.open(pipeline.cache(), id, ignoresJournal);
                SearchOracle oracle = launcher.oracle(pipeline);
                SimulationPool pool = new SimulationPool(
                        oracle, stage, loadKey, settings.seedKey(), threads, journal, progress::accept)) {
            List<CandidateVerdict> verdicts = verdicts(candidates, pool);
            double seconds = (System.nanoTime() - begun) / 1e9;
            Path dir = Files.createDirectories(pipeline.sweeps().dir().resolve(id));
            SearchTables.write(dir, verdicts, pool.answers());
            List<Path> configs = keep(dir, verdicts, pool);
            new SearchRecord(stage.spec().name(), settings, verdicts, configs, pool.queries()).write(dir);
            SearchReport.write(dir, stage.spec().name(), verdicts, shape(settings), charts(verdicts, pool));
            return new SearchResult(dir, id, verdicts, configs, pool.queries(), pool.found(), seconds);
        }
    }

    private List<Chart> charts(List<CandidateVerdict> verdicts, SimulationPool pool) {
        return settings instanceof SweeperSettings.Capacity capacity
                ? LoadCharts.of(capacity, verdicts, pool.answers())
                : List.of();
    }

    /** Runs the search of the settings; one line per kind. */
    private List<CandidateVerdict> verdicts(List<Candidate> candidates, SimulationPool pool) {
        if (settings instanceof SweeperSettings.Capacity capacity) {
            return new CapacitySearch(capacity, loadKey, pool).run(candidates);
        } else if (settings instanceof SweeperSettings.Search search) {
            return new BestSearch(search, pool).run(candidates);
        } else if (settings instanceof SweeperSettings.Pareto pareto) {
            return new ParetoSearch(pareto, pool).run(candidates);
        }
        throw new IllegalStateException("no search for " + settings.getClass());
    }

    private List<Path> keep(Path dir, List<CandidateVerdict> verdicts, SimulationPool pool) throws IOException {
        List<Path> configs = new ArrayList<>();
        for (CandidateVerdict verdict : verdicts) {
            if (verdict.rank() == CandidateVerdict.Rank.WON) {
                RunRequest request = verdict.candidate().request().orElseThrow();
                if (!Double.isNaN(verdict.load())) {
                    request = request.with(pool.changes(verdict.candidate(), verdict.load()));
                }
                Path config = settings instanceof SweeperSettings.Pareto
                        ? dir.resolve("front")
                                .resolve(Integer.toString(verdict.candidate().num()))
                        : dir.resolve("best");
                pipeline.sweeps().saveConfig(config, pipeline.plan(stage, request, RunOptions.DEFAULT));
                configs.add(config);
            }
        }
        return configs;
    }

    /** Determines the keys for load and seed, and rejects keys that have no effect. */
    private void resolve(List<Candidate> candidates) {
        List<RunRequest> requests = candidates.stream()
                .flatMap(candidate -> candidate.request().stream())
                .toList();
        RunRequest request = requests.get(0);
        if (settings instanceof SweeperSettings.Capacity capacity) {
            settings = LoadKey.resolve(capacity, requests);
        }
        List<Problem> problems = new ArrayList<>();
        if (settings instanceof SweeperSettings.Capacity capacity) {
            if (capacity.slo().isEmpty()) {
                problems.add(Problem.config("sweeper.slo", "is empty: every load would meet it"));
            }
            if (capacity.seeds().size() > 2
                    || capacity.seeds().isEmpty()
                    || capacity.seeds().get(0)
                            > capacity.seeds().get(capacity.seeds().size() - 1)) {
                problems.add(Problem.config("sweeper.seeds", "expected the minimum and the maximum, as in [3, 9]"));
            }
            boolean isWhole = !changes(request, capacity.key(), 1.25, 2.5);
            loadKey = new LoadKey(capacity.key(), isWhole);
            if (isWhole && !changes(request, capacity.key(), 1L, 2L)) {
                problems.add(withoutEffect("sweeper.key", capacity.key()));
            }
        }
        if (settings.maxSeeds() > 1 && !changes(request, settings.seedKey(), 1L, 2L)) {
            if (settings.seedKey().equals(SweeperSettings.WORKLOAD_SEED)) {
                settings = settings.withOneSeed(); // nothing is random, so all seeds have the same result
            } else {
                problems.add(withoutEffect("sweeper.seed_key", settings.seedKey())
                        .hint("without random values use one seed: sweeper.seeds=1, or [1] for a capacity search"));
            }
        }
        StageException.refuse(problems);
    }

    private static Problem withoutEffect(String where, String key) {
        return Problem.config(where, "'" + key + "' changes nothing in this configuration");
    }

    private boolean changes(RunRequest request, String key, Object first, Object second) {
        String before = digestWith(request, key, first);
        return !before.equals(digestWith(request, key, second));
    }

    private String digestWith(RunRequest request, String key, Object value) {
        try {
            return digest(request.with(Map.of(key, value)));
        } catch (StageException noSuchKey) {
            return "";
        }
    }

    private String digest(RunRequest request) {
        return pipeline.sweeps()
                .cost(pipeline.plan(stage, request, RunOptions.DEFAULT))
                .digest();
    }

    /** Returns the id of the search, a digest of the settings that affect its result and of the candidates. */
    private String id(List<Candidate> candidates) {
        List<JsonValue> questions = new ArrayList<>();
        for (Candidate candidate : candidates) {
            questions.add(JsonValue.object()
                    .put("overrides", JsonValue.strings(candidate.overrides()))
                    .put("question", candidate.request().map(this::digest).orElse(""))
                    .build());
        }
        JsonValue content = JsonValue.object()
                .put("stage", stage.spec().name())
                .put("sweeper", JsonValue.strings(shape(settings)))
                .put("candidates", JsonValue.of(questions))
                .build();
        return "search-" + Digests.sha256(Json.compact(content)).substring(0, HEX_DIGITS);
    }

    /** Returns the settings except the number of threads, one per line. */
    static List<String> shape(SweeperSettings settings) {
        List<String> shape =
                new ArrayList<>(List.of("kind=" + settings.getClass().getSimpleName()));
        for (RecordComponent component : KeyRecord.components(settings.getClass())) {
            if (!component.getName().equals("jobs")) {
                shape.add(component.getName() + "=" + KeyRecord.value(component, settings));
            }
        }
        return shape;
    }

    /** The file {@code search.json}: the settings of the search, and the winners. */
    private record SearchRecord(
            String stage,
            SweeperSettings settings,
            List<CandidateVerdict> verdicts,
            List<Path> configs,
            int simulations) {
        static final String FILE = "search.json";

        void write(Path dir) throws IOException {
            List<JsonValue> winners = new ArrayList<>();
            for (CandidateVerdict verdict : verdicts) {
                if (verdict.rank() == CandidateVerdict.Rank.WON) {
                    Path config = configs.get(winners.size());
                    JsonObjectBuilder figures = JsonValue.object();
                    verdict.figures().forEach(figures::put);
                    winners.add(JsonValue.object()
                            .put("candidate", verdict.candidate().num())
                            .put(
                                    "overrides",
                                    JsonValue.strings(verdict.candidate().overrides()))
                            .put("config", dir.relativize(config).toString())
                            .put("load", Double.isNaN(verdict.load()) ? JsonValue.NULL : JsonValue.of(verdict.load()))
                            .put("why", verdict.why())
                            .put("figures", figures.build())
                            .build());
                }
            }
            JsonValue json = JsonValue.object()
                    .put("stage", stage)
                    .put("sweeper", JsonValue.strings(Search.shape(settings)))
                    .put("candidates", verdicts.size())
                    .put("simulations", simulations)
                    .put("winners", JsonValue.of(winners))
                    .build();
            SweepFiles.write(dir.resolve(FILE), to -> Json.write(to, json));
        }
    }
}
