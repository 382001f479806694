package dev.stagesim.cli;

import dev.stagesim.config.Composition;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.ConfigSnapshot;
import dev.stagesim.pipeline.Sections;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageFlag;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;

/** Runs one stage: composes its configuration, then runs it, sweeps it, or only shows it. */
@Command(
        footer = {
            "",
            "Overrides: group=option  key.path=value  +new=value  ~gone  'key=range(1,5)' with --multirun",
            "           repeat=K  the K-th repetition of a measurement, from 0"
        })
final class StageCommand implements Callable<Integer> {
    private final Console console;
    private final Home home;
    private final StageRegistry registry;
    private final Stage<?> stage;

    @Mixin
    private final ConfigOptions config = new ConfigOptions();

    @Mixin
    private final ShowOptions show = new ShowOptions();

    @Mixin
    private final RunOptionsMixin run = new RunOptionsMixin();

    @Mixin
    final CommonOptions common = new CommonOptions();

    @Parameters(arity = "0..*", paramLabel = "OVERRIDE", description = "Overrides in Hydra's grammar.")
    private List<String> overrides = new ArrayList<>();

    /** Overrides that flags of the stage stand for. */
    private final List<String> flagged = new ArrayList<>();

    StageCommand(Console console, Home home, StageRegistry registry, Stage<?> stage) {
        this.console = console;
        this.home = home;
        this.registry = registry;
        this.stage = stage;
    }

    /** The option of a flag; given, it adds the flag's override in front of those that are typed. */
    OptionSpec option(StageFlag flag) {
        return OptionSpec.builder(flag.name())
                .arity("0")
                .type(boolean.class)
                .description(flag.doc() + " Short for " + flag.override() + ".")
                .setter(new ISetter() {
                    @Override
                    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
                    public <T> T set(T value) {
                        boolean given = Boolean.TRUE.equals(value);
                        if (given) {
                            flagged.add(flag.override());
                        }
                        return (T) Boolean.valueOf(given);
                    }
                })
                .build();
    }

    @Override
    public Integer call() throws IOException {
        overrides.addAll(0, flagged);
        show.check();
        run.check();
        if (run.nativeLog() && stage.nativeLog().isEmpty()) {
            throw StageException.input(Problem.of(
                    "usage error",
                    "--native-log",
                    "has no effect: " + stage.spec().name() + " writes no such lines"));
        }
        Usage.apart("--cfg", show.cfg() != null, "--multirun", run.multirun());
        if (run.snapshot() != null) {
            return again(run.snapshot());
        }
        JobComposer composer = new JobComposer(
                config.engine(home), stage, config.nameOr(stage.spec().name()));
        if (show.asked()) {
            SweepWords.refuse(overrides);
            return show(composer);
        }
        JobRunner runner = new JobRunner(console, home, registry, stage, run);
        if (run.multirun()) {
            return runner.sweep(overrides, composer, config);
        }
        SweepWords.refuse(overrides);
        return runner.single(overrides, composer);
    }

    /** Repeats a run from the snapshot it kept; the configs on disk play no part. */
    private int again(Path dir) throws IOException {
        Usage.apart("--config-snapshot", true, "--config-name", config.name() != null);
        Usage.apart("--config-snapshot", true, "--config-dir or --config-path", config.searchesElsewhere());
        Usage.apart("--config-snapshot", true, "--cfg or --info", show.asked());
        ConfigSnapshot.Snapshot snapshot = ConfigSnapshot.read(dir);
        if (!snapshot.stage().equals(stage.spec().name())) {
            throw StageException.input(Problem.of("usage error", "--config-snapshot " + dir, "is of another stage")
                    .note("expected", "a run of " + stage.spec().name())
                    .note("got", "a run of " + snapshot.stage()));
        }
        JobRunner runner = new JobRunner(console, home, registry, stage, run);
        return runner.again(snapshot, overrides);
    }

    private int show(JobComposer composer) {
        Composition composition = composer.compose(overrides);
        ConfigPrinter printer = new ConfigPrinter(console);
        if (show.info() != null) {
            printer.info(show.info(), composition);
            return ExitCode.DONE;
        }
        MapNode tree = show.resolve() ? composer.resolve(composition) : composition.config();
        printer.cfg(show, composition, Sections.effective(stage, tree));
        return ExitCode.DONE;
    }
}
