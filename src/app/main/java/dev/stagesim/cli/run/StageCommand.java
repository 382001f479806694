package dev.stagesim.cli.run;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.cli.console.LazyFactory;
import dev.stagesim.cli.console.OptionBinding;
import dev.stagesim.cli.console.OptionRules;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.config.Composition;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.LimitSettings;
import dev.stagesim.pipeline.RunSettings;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.Sections;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.pipeline.request.TypedArguments;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageFlag;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Runs one stage: composes its configuration, then runs it, sweeps it, or shows it. */
public final class StageCommand extends Subcommand {
    /** The option that, with {@code --help}, prints all flags, groups and options. */
    public static final String ALL = "--all";

    private static final String[] FOOTER = {
        "",
        "Overrides: group=option  key.path=value  +new=value  ~gone  'key=range(1,5)' with --multirun",
        "           repeat=K  the K-th repetition of a measurement, from 0",
        "           output.format=csv|parquet|parquet_gzip  format of the tables of the run"
    };

    private final Stage<?> stage;
    private final ConfigOptions config = new ConfigOptions();
    private final ShowOptions show = new ShowOptions();
    private final RunOptionsMixin run = new RunOptionsMixin();
    private final OptionBinding<Boolean> all =
            OptionBinding.flag("With --help: list all options, groups and short keys.", ALL);

    /** Flags of the stage in declaration order. Their overrides are applied before the user's overrides. */
    private final List<Flag> flags = new ArrayList<>();

    private final PositionalParamSpec typed = PositionalParamSpec.builder()
            .arity("0..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("OVERRIDE")
            .description("Overrides in Hydra's grammar.")
            .build();

    private List<String> overrides = List.of();

    public StageCommand(Stage<?> stage) {
        this.stage = stage;
        spec = LazyFactory.spec(this)
                .addMixin("common", common)
                .addMixin("config", config.spec())
                .addMixin("show", show.spec())
                .addMixin("run", run.spec())
                .addOption(all.spec())
                .addPositional(typed);
        stage.flags().forEach(this::add);
        spec.usageMessage().description(stage.spec().doc()).footer(FOOTER);
    }

    /** Returns the stage that the command runs. */
    public Stage<?> stage() {
        return stage;
    }

    private record Flag(String override, OptionBinding<Boolean> option) {}

    private void add(StageFlag flag) {
        String doc = flag.doc() + " Short for " + flag.override() + ".";
        OptionBinding<Boolean> option = new OptionBinding<>(
                OptionBinding.flagBuilder(doc, flag.name()).arity("0").build());
        spec.addOption(option.spec());
        flags.add(new Flag(flag.override(), option));
    }

    @Override
    public Integer call() throws IOException {
        List<String> arguments = Objects.requireNonNullElse(typed.getValue(), List.of());
        List<String> given = new ArrayList<>();
        flags.stream().filter(flag -> flag.option().given()).forEach(flag -> given.add(flag.override()));
        given.addAll(arguments);
        TypedArguments written = new TypedArguments(stage, arguments);
        try {
            return run(RunWords.split(given), written);
        } catch (StageException wrong) {
            throw written.locate(wrong);
        }
    }

    private int run(RunWords words, TypedArguments written) throws IOException {
        overrides = ShortKeys.expand(stage, words.stage());
        OptionRules.needs(ALL, all.given(), "--help");
        show.check();
        run.check(config);
        LimitSettings limits = SweepConfig.run(home(), config.extraRoots(), words.run(), run.confined.given())
                .limits();
        if (run.nativeLog.given() && stage.nativeLog().isEmpty()) {
            throw StageException.input(Problem.usage(
                    "--native-log", "has no effect: " + stage.spec().name() + " has no native log"));
        }
        OptionRules.excludes("--cfg", show.cfg() != null, "--multirun", run.multirun.given());
        JobRunner runner = new JobRunner(console(), home(), registry(), stage, run, limits, written);
        if (run.snapshot.given()) {
            return repeat(run.snapshot.value(), runner);
        }
        JobComposer composer = new JobComposer(
                        config.engine(home()), stage, config.nameOr(stage.spec().name()), Home::shown)
                .noting(text -> console().note(written.quoted(text)));
        if (run.confined.given()) {
            composer.confined(home().dir());
        }
        if (show.isGiven()) {
            SweepArguments.refuse(overrides);
            return show(composer);
        }
        if (run.multirun.given()) {
            return runner.sweep(overrides, composer, config);
        }
        SweepArguments.refuse(overrides);
        return runner.single(overrides, composer);
    }

    /** Repeats a run from its saved configuration. The configs on disk are not read. */
    private int repeat(Path dir, JobRunner runner) throws IOException {
        OptionRules.excludes("--config-snapshot", true, "--config-name", config.name() != null);
        OptionRules.excludes("--config-snapshot", true, "--config-dir or --config-path", config.searchesElsewhere());
        OptionRules.excludes("--config-snapshot", true, "--cfg or --info", show.isGiven());
        ConfigSnapshot.Snapshot snapshot = ConfigSnapshot.read(dir);
        if (!snapshot.stage().equals(stage.spec().name())) {
            throw StageException.input(Problem.usage("--config-snapshot " + dir, "is a snapshot of another stage")
                    .note("expected", "a run of " + stage.spec().name())
                    .note("got", "a run of " + snapshot.stage()));
        }
        return runner.again(snapshot, overrides);
    }

    private int show(JobComposer composer) {
        Composition composition = composer.compose(overrides);
        ConfigPrinter printer = new ConfigPrinter(console());
        if (show.info() != null) {
            printer.info(show.info(), composition);
            return ExitCode.DONE;
        }
        MapNode tree = show.resolve() ? composer.resolve(composition, console()::warn) : composition.config();
        printer.cfg(show, composition, Sections.effective(stage, tree));
        return ExitCode.DONE;
    }

    /**
     * The run settings of a command line, separated from the stage's overrides.
     *
     * @param run overrides of {@link RunSettings}
     * @param stage the other arguments
     */
    private record RunWords(List<String> run, List<String> stage) {
        RunWords {
            run = List.copyOf(run);
            stage = List.copyOf(stage);
        }

        static RunWords split(List<String> words) {
            List<String> sections = Sections.names(RunSettings.class);
            List<String> run = new ArrayList<>();
            List<String> stage = new ArrayList<>();
            words.forEach(word -> (sections.contains(Sections.of(word)) ? run : stage).add(word));
            return new RunWords(run, stage);
        }
    }
}
