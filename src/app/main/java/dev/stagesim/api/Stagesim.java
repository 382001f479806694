package dev.stagesim.api;

import static dev.stagesim.api.ArgumentCheck.given;
import static dev.stagesim.api.ArgumentCheck.words;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.OracleRunner;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.Repetition;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.SortedMap;

/**
 * An installation of the product with a directory for its runs.
 *
 * <p>Thread-safe. Accepts the same overrides as the command line, and makes the same runs below {@code tmp/} of its
 * directory, on any file system with atomic renames of directories. Finished runs are reused. Prints nothing, never
 * ends the process, and ignores the process's working directory. Invalid input and failures throw a {@link
 * StageException} with the messages of the command line.
 */
public final class Stagesim {
    private static final String WORK = "the directory that relative paths start from";

    private final Path configs;
    private final Path work;
    private final StageRegistry registry = StageRegistry.standard();
    private final Pipeline pipeline;
    private final OracleRunner answers;
    private volatile boolean isConfined;

    private Stagesim(Path home, Path work, Path runs) {
        this.configs = home.resolve("configs");
        this.work = work;
        this.pipeline = new Pipeline(registry, home, work, runs, PipelineListener.NONE, Clock.systemUTC());
        this.answers = new OracleRunner(pipeline);
    }

    /**
     * Opens an installation.
     *
     * @param home the directory of the installation, which contains {@code configs/}
     * @param work the directory that contains {@code tmp/} and that relative paths of overrides start from
     */
    public static Stagesim open(Path home, Path work) {
        given(work, "open: work", WORK);
        return open(home, work, work.resolve("tmp"));
    }

    /** Opens an installation with runs in the directory {@code runs} instead of {@code tmp/}. */
    public static Stagesim open(Path home, Path work, Path runs) {
        given(home, "open: home", "the directory of the installation, which contains the launcher");
        given(work, "open: work", WORK);
        given(runs, "open: runs", "the directory for runs");
        if (!Files.isDirectory(home.resolve("configs"))) {
            throw StageException.input(Problem.usage("home", "'" + home + "' has no configs/")
                    .note("expected", "the directory of the installation, which contains the launcher"));
        }
        return new Stagesim(full(home), full(work), full(runs));
    }

    private static Path full(Path path) {
        return path.toAbsolutePath().normalize();
    }

    /** Enables the check against access outside {@code work}: other files, programs, variables, hosts. */
    public Stagesim confined() {
        isConfined = true;
        return this;
    }

    /** Returns the names of all stages. */
    public List<String> stages() {
        return registry.names();
    }

    /** Returns the composed and resolved configuration of a stage with overrides, as JSON. */
    public String config(String stage, String... overrides) {
        List<String> words = words("config", stage, overrides);
        return Json.pretty(request(stage(stage), words).json());
    }

    /** Checks everything that can be checked before a stage runs. Runs nothing. */
    public void check(String stage, String... overrides) {
        List<String> words = words("check", stage, overrides);
        Stage<?> known = stage(stage);
        pipeline.plan(known, request(known, words), options(words));
    }

    /** Runs a stage and its upstream stages, or finds its finished run. */
    public Run run(String stage, String... overrides) {
        List<String> words = words("run", stage, overrides);
        Stage<?> known = stage(stage);
        return new Run(pipeline.run(known, request(known, words), options(words)));
    }

    /**
     * Returns the metrics of a run and further metrics without making the run. Only stages that searches support.
     * Missing upstream runs, for example a profile, are made.
     */
    public SortedMap<String, Double> figures(String stage, String... overrides) {
        List<String> words = words("figures", stage, overrides);
        Stage<?> known = stage(stage);
        return answers.figures(known, request(known, words), options(words));
    }

    /** Returns fast estimates of these metrics, within a fraction of a second; empty if the stage has none. */
    public SortedMap<String, Double> estimates(String stage, String... overrides) {
        List<String> words = words("estimates", stage, overrides);
        Stage<?> known = stage(stage);
        return answers.estimates(known, request(known, words), options(words));
    }

    /** Reads a finished run in any directory, after verifying its files. */
    public Run read(Path dir) {
        given(dir, "read: dir", "the directory of a finished run");
        boolean isRelative = !dir.isAbsolute() && dir.getFileSystem().equals(work.getFileSystem());
        return new Run(Unchecked.get(() -> pipeline.sweeps().finished(isRelative ? work.resolve(dir) : dir)));
    }

    private static RunOptions options(List<String> overrides) {
        return Repetition.split(overrides).options(false);
    }

    private RunRequest request(Stage<?> stage, List<String> overrides) {
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", configs)));
        JobComposer composer = new JobComposer(engine, stage, stage.spec().name(), Path::toString, work);
        RunRequest request = (isConfined ? composer.confined(pipeline.home()) : composer)
                .request(ShortKeys.expand(stage, overrides));
        boolean isHere = work.equals(full(Path.of("")));
        return isHere ? request : request.withFilesFrom(work, stage.spec().settings());
    }

    private Stage<?> stage(String name) {
        return registry.find(name)
                .orElseThrow(() -> StageException.input(Problem.usage(name, "no such stage")
                        .didYouMean(Suggest.near(name, registry.names()))
                        .options(registry.names())));
    }
}
