package dev.stagesim.cli.run;

import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.OptionRules;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.LimitSettings;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.SweepDirs;
import dev.stagesim.sweep.SweepInvocation;
import dev.stagesim.sweep.SweepSettings;
import dev.stagesim.sweep.launch.LaunchOptions;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.Launchers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the jobs of a sweep that have no run. */
@Command(name = "rerun", description = "Run the jobs of a sweep that failed or never ran; other jobs keep their runs.")
public final class SweepRerunCommand extends Subcommand {
    @Parameters(index = "0", paramLabel = "DIR", description = "The directory of the sweep, tmp/sweeps/<id>.")
    private Path dir = Path.of("");

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "LAUNCHER",
            description = "Launcher options, such as launcher.jobs=2.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "NUMBERS",
            description = "Numbers of the jobs to run instead, such as 3,8,21.")
    private @Nullable List<Integer> only;

    @Option(names = "--force", description = "With --only: run them even if their runs are there.")
    private boolean force;

    @Option(names = "--json", description = "Print one JSON object instead of the run directories.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        if (only == null) {
            OptionRules.needs("--force", force, "--only");
        }
        Path sweep = SweepDirs.find(dir);
        SweepInvocation invocation = SweepInvocation.read(sweep);
        Stage<?> stage = registry()
                .find(invocation.stage())
                .orElseThrow(() -> StageException.input(
                        Problem.of("sweep error", sweep.toString(), "is of the unknown stage " + invocation.stage())));
        ConfigOptions config =
                ConfigOptions.of(invocation.configName(), invocation.configPath(), invocation.configDirs());
        List<String> sweepWords = new ArrayList<>(invocation.sweep());
        sweepWords.addAll(launcherWords());
        SweepSettings settings = SweepConfig.read(home(), config.extraRoots(), sweepWords, false);
        Launcher launcher = Launchers.of(settings.launcher());
        Progress progress = new Progress(console(), true);
        Pipeline pipeline = new Pipeline(registry(), home().dir(), Home.work(), progress, Clock.systemUTC());
        pipeline.limit(LimitSettings.NONE); // the sweep was checked at its first launch
        JobComposer composer = new JobComposer(config.engine(home()), stage, invocation.configName(), Home::shown);
        return JobRunner.whileWatched(console(), progress, pipeline, SignalHandler.Work.JOBS, () -> {
            Manifest manifest = new SweepJobs(pipeline, stage, composer, settings, console()::warn)
                    .manifest(invocation.words(), force);
            refuseOther(manifest, sweep, pipeline);
            LaunchOptions launch = new LaunchOptions(false, Optional.of(wanted(manifest, pipeline)));
            return new SweepRunner(console(), RunOptionsMixin.printing(json))
                    .run(pipeline, manifest, launcher, launch, progress);
        });
    }

    private List<String> launcherWords() {
        SweepArguments split = SweepArguments.split(words);
        List<Problem> problems = Stream.concat(
                        split.stage().stream(), split.sweep().stream().filter(word -> !word.startsWith("launcher")))
                .map(word -> Problem.usage(word, "would make other jobs").note("expected", "keys of launcher only"))
                .toList();
        StageException.refuse(problems);
        return split.sweep();
    }

    private static void refuseOther(Manifest manifest, Path sweep, Pipeline pipeline) {
        if (!sweep.equals(pipeline.sweeps().dir().resolve(manifest.id()).normalize())) {
            throw StageException.input(Problem.of(
                            "sweep error", sweep.toString(), "has other jobs now: " + manifest.id())
                    .hint("a config file or an input has changed since, or the sweep is of another working directory;"
                            + " run this command where the sweep was started"));
        }
    }

    private Set<Integer> wanted(Manifest manifest, Pipeline pipeline) {
        if (only == null) {
            return manifest.unfinished(pipeline);
        }
        Set<Integer> wanted = new TreeSet<>(only);
        List<Problem> problems = wanted.stream()
                .filter(num -> num < 0 || num >= manifest.jobs().size())
                .map(num -> Problem.usage("--only " + num, "is not a job of the sweep")
                        .note("expected", "0 to " + (manifest.jobs().size() - 1)))
                .toList();
        StageException.refuse(problems);
        return wanted;
    }
}
