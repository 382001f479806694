package dev.stagesim.cli.run;

import dev.stagesim.cli.console.OptionBinding;
import dev.stagesim.cli.console.OptionRules;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;

/** The options for the execution of a stage. */
public final class RunOptionsMixin {
    final OptionBinding<Boolean> multirun =
            OptionBinding.flag("Run one job for each combination of the swept overrides.", "--multirun", "-m");
    final OptionBinding<Boolean> dryRun =
            OptionBinding.flag("Check the configuration and list the runs; write nothing.", "--dry-run");
    final OptionBinding<Boolean> force = OptionBinding.flag("Rerun even if a result exists.", "--force");
    final OptionBinding<Boolean> json =
            OptionBinding.flag("Print one JSON object instead of the run directory.", "--json");
    final OptionBinding<Integer> jobs = OptionBinding.of(
            Integer.class, "N", "With --multirun: number of parallel jobs; by default one per core.", "--jobs", "-j");
    private final OptionBinding<Boolean> keepGoing =
            OptionBinding.flag("With --multirun: continue after a failed job (the default).", "--keep-going");
    final OptionBinding<Boolean> failFast =
            OptionBinding.flag("With --multirun: start no further job after a failed one.", "--fail-fast");
    final OptionBinding<Path> snapshot = OptionBinding.of(
            Path.class,
            "DIR",
            "Rerun from the configuration saved in DIR; further overrides apply on top.",
            "--config-snapshot");
    final OptionBinding<Boolean> nativeLog = OptionBinding.flag(
            "Show the lines that the reproduced tool prints itself, for astra_sim; on stderr.", "--native-log");

    final OptionBinding<Boolean> confined = OptionBinding.flag(
            "Reject values that access resources outside the working directory: other files, programs, environment variables,"
                    + " hosts. The studio adds this flag to requests of a page.",
            "--confined");

    CommandSpec spec() {
        return OptionBinding.mixin(
                multirun, dryRun, force, json, jobs, keepGoing, failFast, snapshot, nativeLog, confined);
    }

    /** Returns the options of a command that only prints. */
    public static RunOptionsMixin printing(boolean json) {
        RunOptionsMixin options = new RunOptionsMixin();
        options.json.set(json);
        return options;
    }

    /** Throws if an option was given that would have no effect or that another option forbids. */
    void check(ConfigOptions config) {
        if (!multirun.given()) {
            OptionRules.needs("--jobs", jobs.given(), "--multirun");
            OptionRules.needs("--keep-going", keepGoing.given(), "--multirun");
            OptionRules.needs("--fail-fast", failFast.given(), "--multirun");
        }
        OptionRules.excludes("--keep-going", keepGoing.given(), "--fail-fast", failFast.given());
        OptionRules.excludes("--native-log", nativeLog.given(), "--multirun", multirun.given());
        OptionRules.excludes("--native-log", nativeLog.given(), "--dry-run", dryRun.given());
        OptionRules.excludes("--force", force.given(), "--dry-run", dryRun.given());
        OptionRules.excludes("--config-snapshot", snapshot.given(), "--multirun", multirun.given());
        OptionRules.excludes("--config-snapshot", snapshot.given(), "--confined", confined.given());
        OptionRules.excludes(
                "--config-dir or --config-path", config.searchesElsewhere(), "--confined", confined.given());
        if (jobs.given() && jobs.value() < 1) {
            throw StageException.input(Problem.usage("--jobs " + jobs.value(), "expected a number >= 1"));
        }
    }
}
