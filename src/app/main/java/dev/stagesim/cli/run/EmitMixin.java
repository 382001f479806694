package dev.stagesim.cli.run;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.ResultStream;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Shell;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.Sections;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.ClusterJob;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.SweepSettings;
import dev.stagesim.sweep.SweeperSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Common options of job files for all schedulers: the sweep, its parts and their resources. */
public final class EmitMixin {
    @Option(names = "--shards", required = true, paramLabel = "N", description = "Number of parts.")
    private int shards;

    @Option(
            names = "--cpus",
            paramLabel = "N",
            description = "Cores of a part, which runs one job per core. Default: ${DEFAULT-VALUE}")
    private int cpus = 2;

    @Option(names = "--memory", paramLabel = "GIB", description = "Memory of a part in GiB. Default: ${DEFAULT-VALUE}")
    private int memory = 4;

    @Option(
            names = {"--output", "-o"},
            paramLabel = "FILE",
            description = "Write to this file instead of stdout.")
    private @Nullable Path output;

    private final ConfigOptions config = new ConfigOptions();

    @Mixin
    final CommandSpec configSpec = config.spec();

    @Parameters(
            arity = "1..*",
            paramLabel = "STAGE OVERRIDE",
            description =
                    "The stage and its overrides, as for --multirun; jobs are checked before the file is written.")
    private List<String> words = new ArrayList<>();

    private boolean searches;

    /**
     * Checks all jobs of the sweep and describes the parts.
     *
     * @param program path of the product's launcher script for the parts
     * @param workDir the directory in which the parts run
     * @param warn receives warnings about the jobs
     */
    public ClusterJob job(Home home, StageRegistry registry, String program, String workDir, Consumer<String> warn)
            throws IOException {
        String name = words.get(0);
        Stage<?> stage = registry.find(name)
                .orElseThrow(() -> StageException.input(Problem.usage(name, "is not a stage")
                        .didYouMean(Suggest.near(name, registry.names()))
                        .options(registry.names())));
        SweepArguments split = SweepArguments.split(ShortKeys.expand(stage, words.subList(1, words.size())));
        refuse(split);
        JobComposer composer = new JobComposer(config.engine(home), stage, config.nameOr(name), Home::shown);
        Pipeline pipeline = new Pipeline(registry, home.dir(), Home.work(), PipelineListener.NONE, Clock.systemUTC());
        SweepSettings settings = SweepConfig.read(home, config.extraRoots(), split.sweep(), false);
        SweepJobs jobs = new SweepJobs(pipeline, stage, composer, settings, warn);
        searches = settings.sweeper() instanceof SweeperSettings.Searching;
        if (searches && shards > 1) {
            throw StageException.input(Problem.usage(
                            "--shards " + shards, "a search cannot be divided: each simulation depends on earlier ones")
                    .hint("--shards 1 --cpus N, to run N simulations in parallel"));
        }
        Manifest manifest = jobs.manifest(split.stage(), false);
        if (shards > manifest.jobs().size()) {
            throw StageException.input(Problem.usage(
                    "--shards " + shards,
                    "is more than the " + Count.of(manifest.jobs().size(), "job")));
        }
        List<String> command = new ArrayList<>(List.of(program, name, "--multirun"));
        command.addAll(config.flags());
        command.addAll(words.subList(1, words.size()));
        return new ClusterJob(
                manifest.id(), name, manifest.jobs().size(), shards, cpus, memory, workDir, command, searches);
    }

    private void refuse(SweepArguments split) {
        List<Problem> problems = new ArrayList<>();
        for (String word : split.sweep()) {
            if (Sections.of(word).equals("launcher")) {
                problems.add(Problem.usage(word, "is set by the job file").hint("use --shards, --cpus and --memory"));
            }
        }
        for (int number : List.of(shards, cpus, memory)) {
            if (number < 1) {
                problems.add(Problem.usage("--shards, --cpus, --memory", number + " is less than 1"));
            }
        }
        StageException.refuse(problems);
    }

    public void write(Console console, String text, ClusterJob job) throws IOException {
        ResultStream.text(console, output, List.of(), out -> out.write(text));
        if (searches) {
            console.info("a search among " + job.jobs() + " candidates; it prints the configuration of the winner. "
                    + "To resume it, submit it again.");
            return;
        }
        console.info(Count.of(job.jobs(), "job") + " in " + Count.of(job.shards(), "part")
                + "; when all are done: ./stage sweep merge "
                + Shell.quoted(job.workDir() + "/tmp/sweeps/" + job.sweepId()));
    }
}
