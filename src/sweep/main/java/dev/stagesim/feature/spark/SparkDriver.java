package dev.stagesim.feature.spark;

import dev.stagesim.bench.engine.ChildProcesses;
import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.EngineProgram;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.sweep.launch.LauncherSettings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builds the command line of the Spark driver process: this Java with the engine's jars, or a cluster's spark-submit.
 */
final class SparkDriver {
    private static final String MAIN = "dev.stagesim.engine.spark.Driver";
    private static final String RUNS = "tmp";
    private static final String ALL_CORES = "local[*]";
    private static final int LAST_WORDS = 5;

    /** JVM options that Spark requires on Java 17 and later, taken from Spark's own scripts. */
    private static final List<String> JAVA_OPTIONS = Stream.concat(
                    Stream.of("-XX:+IgnoreUnrecognizedVMOptions", "--add-modules=jdk.incubator.vector"),
                    Stream.of(
                                    "java.lang",
                                    "java.lang.invoke",
                                    "java.lang.reflect",
                                    "java.io",
                                    "java.net",
                                    "java.nio",
                                    "java.util",
                                    "java.util.concurrent",
                                    "java.util.concurrent.atomic",
                                    "jdk.internal.ref",
                                    "sun.nio.ch",
                                    "sun.nio.cs",
                                    "sun.security.action",
                                    "sun.util.calendar")
                            .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED"))
            .toList();

    private final List<String> command;
    private final Path log;
    private final String where;

    private SparkDriver(List<String> command, Path log, String where) {
        this.command = command;
        this.log = log;
        this.where = where;
    }

    static SparkDriver of(LauncherSettings.Spark settings, Pipeline pipeline) throws IOException {
        List<String> command = new ArrayList<>();
        Path cache = Files.createDirectories(SparkLauncher.staging(pipeline));
        Path program;
        if (settings.submit().isPresent()) {
            Path submit = pipeline.workDir().resolve(settings.submit().get());
            program = EngineProgram.jar(jarsBeside(submit), pipeline.home(), "spark", cache);
            command.addAll(List.of(submit.toString(), "--class", MAIN));
            settings.master().ifPresent(master -> command.addAll(List.of("--master", master)));
            settings.conf().forEach(word -> command.addAll(List.of("--conf", word)));
            command.addAll(List.of("--conf", "spark.executor.extraClassPath=" + program, program.toString(), ""));
        } else {
            Engine engine = Engines.find("spark");
            List<Path> jars = EngineStore.of(pipeline.home()).jars(engine);
            program = EngineProgram.jar(jars, pipeline.home(), "spark", cache);
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(JAVA_OPTIONS);
            command.addAll(List.of("-Dfile.encoding=UTF-8", "-cp", path(program, jars), MAIN, master(settings)));
        }
        command.addAll(List.of(
                pipeline.home().toString(),
                pipeline.workDir().toString(),
                settings.results().orElse(""),
                product()));
        command.addAll(conf(settings, program));
        Path log = cache.resolve("driver-" + ProcessHandle.current().pid() + ".log");
        String where = settings.submit()
                .map(submit -> settings.master().orElse("its own cluster") + " by " + submit)
                .orElseGet(() -> master(settings));
        return new SparkDriver(command, log, where);
    }

    private static String master(LauncherSettings.Spark settings) {
        return settings.master().orElse(ALL_CORES);
    }

    /** Default Spark settings; explicit settings override them. */
    private static List<String> conf(LauncherSettings.Spark settings, Path program) {
        if (settings.submit().isPresent()) {
            return List.of();
        }
        List<String> all = new ArrayList<>(List.of(
                "spark.ui.enabled=false",
                "spark.executor.extraClassPath=" + program,
                "spark.log.structuredLogging.enabled=false"));
        if (master(settings).startsWith("local")) {
            all.add("spark.driver.host=127.0.0.1");
            all.add("spark.driver.bindAddress=127.0.0.1");
        }
        all.addAll(settings.conf());
        return all;
    }

    private static List<Path> jarsBeside(Path submit) throws IOException {
        Path bin = submit.toAbsolutePath().normalize().getParent();
        Path jars = bin == null || bin.getParent() == null ? Path.of("jars") : bin.resolveSibling("jars");
        if (!Files.isExecutable(submit) || !Files.isDirectory(jars)) {
            throw StageException.input(Problem.of(
                            "launcher error",
                            "launcher.submit",
                            submit + " is not the spark-submit of an installation of Spark, with its jars in " + jars)
                    .hint("launcher.submit=$SPARK_HOME/bin/spark-submit"));
        }
        return Directories.list(jars, file -> file.toString().endsWith(".jar"));
    }

    private static String path(Path program, List<Path> jars) {
        return Stream.concat(Stream.of(program), jars.stream())
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Class path of this process, with absolute paths. */
    private static String product() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(word -> Path.of(word).toAbsolutePath().normalize().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Reports that the process is starting, and the location of its log. */
    void announce(PipelineListener listener) {
        listener.notice("spark", "starting at " + where + "; it writes to " + shown(log));
    }

    private static Path shown(Path file) {
        Path here = Path.of("").toAbsolutePath();
        return file.isAbsolute() && file.startsWith(here) ? here.relativize(file) : file;
    }

    Process start() throws IOException {
        return ChildProcesses.start(new ProcessBuilder(command).redirectError(log.toFile()));
    }

    /** Creates the error for a process that ended too early. */
    StageException ended(int exit) throws IOException {
        Problem problem = Problem.of("launcher error", "spark", "its driver ended with exit code " + exit);
        List<String> lines =
                Files.isRegularFile(log) ? InputFile.text(log).lines().toList() : List.of();
        Optional<String> cause = lines.stream()
                .filter(line -> line.contains(" ERROR ") || line.contains("Exception: "))
                .findFirst();
        List<String> last = lines.subList(Math.max(0, lines.size() - LAST_WORDS), lines.size());
        return StageException.failed(
                problem.note("cause", cause.orElse(String.join(" / ", last))).hint("see its log: " + shown(log)));
    }

    /**
     * Returns the directory of a run named in a reply: in the store if workers share it, otherwise in the staging
     * directory.
     */
    static Path run(Pipeline pipeline, String name) {
        Path passed = SparkLauncher.staging(pipeline).resolve(RUNS).resolve(name);
        return Files.isDirectory(passed)
                ? passed
                : Pipeline.runsRoot(pipeline.workDir()).resolve(name);
    }
}
