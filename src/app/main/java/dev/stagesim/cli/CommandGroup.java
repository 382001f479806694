package dev.stagesim.cli;

import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.cli.console.AlignedTable;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.LazyFactory;
import dev.stagesim.cli.console.OptionBinding;
import dev.stagesim.cli.console.ResultStream;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.cli.run.EmitMixin;
import dev.stagesim.cli.run.RunOptionsMixin;
import dev.stagesim.cli.run.SweepRerunCommand;
import dev.stagesim.cli.run.SweepRunner;
import dev.stagesim.cli.runs.MlflowExport;
import dev.stagesim.cli.runs.RunExport;
import dev.stagesim.cli.runs.RunsListCommand;
import dev.stagesim.cli.runs.RunsShowCommand;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.BlisTrace;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.RunCatalog;
import dev.stagesim.pipeline.store.RunMeta;
import dev.stagesim.pipeline.store.RunSummary;
import dev.stagesim.sweep.ClusterJob;
import dev.stagesim.sweep.SweepDirs;
import dev.stagesim.sweep.SweepInvocation;
import dev.stagesim.sweep.SweepMerge;
import dev.stagesim.sweep.SweepReport;
import dev.stagesim.sweep.SweepResult;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** A command that consists of subcommands. */
final class CommandGroup implements Runnable {
    private final String member;
    private final String description;
    private final List<Object> commands;

    private final CommandSpec spec = LazyFactory.spec(this);

    private CommandGroup(String name, String member, String description, Object... commands) {
        this.member = member;
        this.description = description;
        this.spec.name(name).addMixin("common", OptionBinding.common());
        this.spec.usageMessage().description(description);
        this.commands = List.of(commands);
    }

    private static CommandGroup of(String name, String member, String description, Object... commands) {
        return new CommandGroup(name, member, description, commands);
    }

    String description() {
        return description;
    }

    CommandLine line() {
        CommandLine line = LazyFactory.line(spec);
        for (Object command : commands) {
            line.addSubcommand(command instanceof CommandGroup group ? group.line() : command);
        }
        return line;
    }

    static CommandGroup model() {
        return of("model", "command", "Create model cards.", new ModelImportCommand());
    }

    static CommandGroup config() {
        return of(
                "config",
                "command",
                "Compose any configuration tree, or show how overrides parse.",
                new ConfigShowCommand(),
                new ConfigParseCommand());
    }

    static CommandGroup engines() {
        return of(
                "engines",
                "command",
                "List, install and remove optional engines, which are not bundled.",
                new EnginesListCommand(),
                new EnginesInstallCommand(),
                new EnginesRemoveCommand());
    }

    static CommandGroup runs() {
        return of(
                "runs",
                "command",
                "List, show, export and delete runs below tmp/ of the working directory.",
                new RunsListCommand(),
                new RunsShowCommand(),
                new RunsExportCommand(),
                new RunsRemoveCommand());
    }

    /** Returns the commands for sweeps, except the launch, which is {@code --multirun}. */
    static CommandGroup sweep() {
        return of(
                "sweep",
                "command",
                "Write job files for clusters, join the parts of a sweep, repeat failed jobs.",
                of(
                        "emit",
                        "scheduler",
                        "Write a job file for a cluster scheduler that runs the parts of a sweep.",
                        new SweepEmitSlurmCommand(),
                        new SweepEmitKubernetesCommand()),
                new SweepMergeCommand(),
                new SweepReportCommand(),
                new SweepRerunCommand());
    }

    @Override
    public void run() {
        List<String> names = List.copyOf(spec.subcommands().keySet());
        int last = names.size() - 1;
        String first = last == 0 ? "" : String.join(", ", names.subList(0, last)) + " or ";
        throw new ParameterException(spec.commandLine(), "expected a " + member + ": " + first + names.get(last));
    }

    /** Deletes an engine. */
    @Command(name = "remove", description = "Delete an engine, or the files of an interrupted installation.")
    static final class EnginesRemoveCommand extends Subcommand {
        @Parameters(paramLabel = "ENGINE", description = "Name of the engine: stage engines list.")
        private String name = "";

        @Override
        public Integer call() throws IOException {
            Engine engine = Engines.find(name);
            console().info(engine.name() + (store().remove(engine) ? " is deleted" : " was not installed"));
            return ExitCode.DONE;
        }
    }

    /** Deletes runs, except runs that other runs depend on. */
    @Command(name = "rm", description = "Delete runs, except runs that other runs depend on.")
    static final class RunsRemoveCommand extends Subcommand {
        @Parameters(arity = "1..*", paramLabel = "RUN", description = "Run ids, unique beginnings, or directories.")
        private List<String> texts = List.of();

        @Option(names = "--force", description = "Also delete runs that other runs depend on.")
        private boolean force;

        @Override
        public Integer call() throws IOException {
            RunCatalog catalog = new RunCatalog(Home.work());
            List<RunSummary> runs = new ArrayList<>();
            for (String text : texts) {
                runs.add(catalog.find(text));
            }
            catalog.remove(runs, force);
            runs.forEach(run -> console().info("deleted " + Home.shown(run.dir())));
            return ExitCode.DONE;
        }
    }

    /** Writes a script for {@code sbatch}: an array with the parts of a sweep as tasks. */
    @Command(
            name = "slurm",
            description = "Write a script for sbatch: an array with the parts of a sweep as tasks. They run in this"
                    + " directory. The nodes must share this directory and the product's.")
    static final class SweepEmitSlurmCommand extends Subcommand {
        @Mixin
        private final EmitMixin emit = new EmitMixin();

        @Option(
                names = "--sbatch",
                paramLabel = "OPTION",
                description = "A further option of sbatch, such as --sbatch=--partition=short; may be repeated.")
        private List<String> extra = new ArrayList<>();

        @Override
        public Integer call() throws IOException {
            String program = home().dir().resolve("stage").toString();
            ClusterJob job = emit.job(home(), registry(), program, Home.work().toString(), console()::warn);
            emit.write(console(), job.slurm(extra), job);
            return ExitCode.DONE;
        }
    }

    /** Merges the parts of a sweep. */
    @Command(
            name = "merge",
            description =
                    "Join the parts of a sweep, from one or several directories, into this one: the same tables and"
                            + " runs as one launch.")
    static final class SweepMergeCommand extends Subcommand {
        @Parameters(
                arity = "1..*",
                paramLabel = "DIR",
                description = "The directory of a sweep, or a working directory that has one sweep.")
        private List<Path> dirs = new ArrayList<>();

        @Option(names = "--json", description = "Print one JSON object instead of the run directories.")
        private boolean json;

        @Override
        public Integer call() throws IOException {
            Pipeline pipeline =
                    new Pipeline(registry(), home().dir(), Home.work(), PipelineListener.NONE, Clock.systemUTC());
            SweepResult result = SweepMerge.merge(pipeline, dirs);
            SweepRunner printer = new SweepRunner(console(), RunOptionsMixin.printing(json));
            printer.print(result);
            return printer.outcome(result);
        }
    }

    /** Writes a run's requests in the format of another tool. */
    @Command(
            name = "export",
            description = "Write a run for other tools: its requests and their times as a BLIS TraceV2 (trace.yaml and"
                    + " trace.csv), its checks as JUnit's XML (junit.xml), its headline metrics as OpenMetrics (metrics.txt)"
                    + " or as a run on an MLflow server.",
            footer = {
                "",
                "Examples: stage runs export vidur_sim-efaedd5cd6 --output=trace",
                "          stage runs export compare-8feb2cb456 --format=junit --output=ci",
                "          stage runs export vidur_sim-efaedd5cd6 --format=mlflow --server=http://127.0.0.1:5000",
                "          stage runs export sweep-25965ec3e3 --format=mlflow --server=http://127.0.0.1:5000",
                "summary.md of a run is its report as Markdown, for a CI's summary page."
            })
    static final class RunsExportCommand extends Subcommand {
        /** The supported formats. */
        enum Format {
            blis,
            junit,
            openmetrics,
            mlflow
        }

        @Parameters(
                paramLabel = "RUN",
                description = "Run id, its unique beginning, the run's directory, or with mlflow the id of a sweep.")
        private String text = "";

        @Option(names = "--format", description = "One of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
        private Format format = Format.blis;

        @Option(names = "--output", paramLabel = "DIR", description = "Directory to write into; not with mlflow.")
        private @Nullable Path output;

        @Option(
                names = "--server",
                paramLabel = "URL",
                description = "MLflow tracking server; MLFLOW_TRACKING_TOKEN in the environment is sent to it.")
        private @Nullable URI server;

        @Override
        public Integer call() throws IOException {
            if (format == Format.mlflow ? server == null || output != null : output == null || server != null) {
                throw StageException.input(Problem.usage(
                                "--format=" + format,
                                "needs " + (format == Format.mlflow ? "--server" : "--output") + " alone")
                        .hint("mlflow goes to a --server=URL, everything else into an --output=DIR"));
            }
            if (server != null && !String.valueOf(server.getScheme()).matches("https?")) {
                throw StageException.input(Problem.usage("--server", "'" + server + "' is not the address of a server")
                        .note("expected", "http:// or https:// with a host, such as http://127.0.0.1:5000"));
            }
            Path sweep = Home.work().resolve("tmp/sweeps").resolve(text);
            if (format == Format.mlflow && SweepDirs.isSweep(sweep)) {
                console().result(mlflow().sendSweep(sweep, jobs(sweep), console()::warn));
                return ExitCode.DONE;
            }
            RunSummary run = new RunCatalog(Home.work()).find(text);
            if (format == Format.blis) {
                blis(run, Objects.requireNonNull(output));
                return ExitCode.DONE;
            }
            RunExport export = new RunExport(run.meta()
                    .orElseThrow(() -> StageException.input(Problem.usage(text, "is not a finished run")
                            .hint("stage runs list prints the state of each run"))));
            if (format == Format.mlflow) {
                console().result(mlflow().send(new MlflowExport.Exported(export, run.dir()), console()::warn));
                return ExitCode.DONE;
            }
            Path file = Files.createDirectories(Objects.requireNonNull(output))
                    .resolve(format == Format.junit ? "junit.xml" : "metrics.txt");
            Files.writeString(file, format == Format.junit ? export.junit() : export.openMetrics());
            console().result(Home.shown(file));
            return ExitCode.DONE;
        }

        private MlflowExport mlflow() {
            Optional<String> token = Optional.ofNullable(System.getenv("MLFLOW_TRACKING_TOKEN"));
            return new MlflowExport(Objects.requireNonNull(server), token);
        }

        /** Returns the finished jobs of a sweep. */
        private static List<MlflowExport.Exported> jobs(Path sweep) throws IOException {
            RunCatalog catalog = new RunCatalog(Home.work());
            List<MlflowExport.Exported> jobs = new ArrayList<>();
            for (String id : SweepDirs.runIds(sweep)) {
                RunSummary run = catalog.find(id);
                run.meta().ifPresent(meta -> jobs.add(new MlflowExport.Exported(new RunExport(meta), run.dir())));
            }
            if (jobs.isEmpty()) {
                throw StageException.input(Problem.usage(sweep.toString(), "has no finished job"));
            }
            return jobs;
        }

        private void blis(RunSummary run, Path into) throws IOException {
            if (!BlisTrace.canWrite(run.dir())) {
                throw StageException.input(
                        Problem.usage(text, "has no requests to export: it is a run of " + run.stage())
                                .hint("runs of workload, real_bench, vidur_sim and serve_mock have requests"));
            }
            Files.createDirectories(into);
            BlisTrace.write(
                    run.dir(),
                    run.stage().equals("real_bench"),
                    run.meta().flatMap(RunMeta::model).orElse(""),
                    into);
            console().result(Home.shown(into.resolve("trace.csv")));
        }
    }

    /** Writes an Indexed job for {@code kubectl apply} with the parts of a sweep as completions. */
    @Command(
            name = "kubernetes",
            description = "Write an Indexed job for kubectl apply with the parts of a sweep as completions.")
    static final class SweepEmitKubernetesCommand extends Subcommand {
        @Mixin
        private final EmitMixin emit = new EmitMixin();

        @Option(
                names = "--image",
                required = true,
                paramLabel = "IMAGE",
                description = "Container image with the product.")
        private String image = "";

        @Option(
                names = "--claim",
                required = true,
                paramLabel = "NAME",
                description = "Persistent volume claim that all parts share as working directory.")
        private String claim = "";

        @Option(
                names = "--work-dir",
                paramLabel = "DIR",
                description = "Mount path of the claim. Default: ${DEFAULT-VALUE}")
        private String workDir = "/work";

        @Option(
                names = "--program",
                paramLabel = "FILE",
                description = "The product's launcher in the image. Default: ${DEFAULT-VALUE}")
        private String program = "/opt/stagesim/stage";

        @Override
        public Integer call() throws IOException {
            ClusterJob job = emit.job(home(), registry(), program, workDir, console()::warn);
            emit.write(console(), job.kubernetes(image, claim), job);
            return ExitCode.DONE;
        }
    }

    /** Writes the report of a sweep with a comparison to measurements of the same settings. */
    @Command(
            name = "report",
            description =
                    "Write the report of a sweep with the regret of deciding by it, against a sweep of measurements"
                            + " over the same keys. The plain report.html is written whenever a sweep is launched.")
    static final class SweepReportCommand extends Subcommand {
        @Parameters(paramLabel = "DIR", description = "The directory of the sweep, tmp/sweeps/<id>.")
        private Path dir = Path.of("");

        @Option(
                names = "--measured",
                required = true,
                paramLabel = "DIR",
                description = "The directory of a sweep of measurements, such as one of real_bench.")
        private Path measured = Path.of("");

        @Option(
                names = {"--output", "-o"},
                paramLabel = "FILE",
                description = "Write to this file instead of stdout.")
        private @Nullable Path output;

        @Override
        public Integer call() throws IOException {
            Pipeline pipeline =
                    new Pipeline(registry(), home().dir(), Home.work(), PipelineListener.NONE, Clock.systemUTC());
            Path sweep = SweepDirs.find(dir);
            SweepResult simulated = SweepMerge.merge(pipeline, List.of(sweep));
            SweepResult real = SweepMerge.merge(pipeline, List.of(SweepDirs.find(measured)));
            String html = SweepReport.html(SweepInvocation.read(sweep).stage(), simulated, real);
            ResultStream.text(console(), output, List.of(), out -> out.write(html));
            return ExitCode.DONE;
        }
    }

    /** Lists the available engines and the paths of installed engines. */
    @Command(name = "list", description = "List the available engines, and the directories of installed engines.")
    private static final class EnginesListCommand extends Subcommand {
        private static final double BYTES_PER_MB = 1e6;

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Override
        public Integer call() {
            if (json) {
                console()
                        .result(Json.compact(JsonValue.object()
                                .put(
                                        "engines",
                                        JsonValue.of(Engines.all().stream()
                                                .map(this::object)
                                                .toList()))
                                .build()));
                return ExitCode.DONE;
            }
            AlignedTable table = new AlignedTable().row("engine", "version", "size", "state", "what it is");
            for (Engine engine : Engines.all()) {
                table.row(
                        engine.name(),
                        engine.version(),
                        String.format(Locale.ROOT, "%.0f MB", engine.bytes() / BYTES_PER_MB),
                        state(engine),
                        engine.doc());
            }
            table.lines().forEach(console()::result);
            return ExitCode.DONE;
        }

        private String state(Engine engine) {
            Optional<Path> folder = store().installed(engine);
            if (folder.isPresent()) {
                return "installed in " + Home.shown(folder.get());
            }
            return engine.runsHere() ? "not installed" : "for " + engine.platform();
        }

        private JsonValue object(Engine engine) {
            return JsonValue.object()
                    .put("name", engine.name())
                    .put("version", engine.version())
                    .put("bytes", engine.bytes())
                    .put("runs_here", engine.runsHere())
                    .put("doc", engine.doc())
                    .putOrNull("dir", store().installed(engine).map(Path::toString))
                    .build();
        }
    }
}
