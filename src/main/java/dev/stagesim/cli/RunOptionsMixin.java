package dev.stagesim.cli;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;

/** The options that say how a stage is run. */
final class RunOptionsMixin {
    final Opt<Boolean> multirun =
            Opt.flag("Run one job for each combination of the swept overrides.", "--multirun", "-m");
    final Opt<Boolean> dryRun =
            Opt.flag("Check the configuration and show what would run; write nothing.", "--dry-run");
    final Opt<Boolean> force = Opt.flag("Rerun even if a result exists.", "--force");
    final Opt<Boolean> json = Opt.flag("Print one JSON object instead of the run directory.", "--json");
    final Opt<Integer> jobs =
            Opt.of(Integer.class, "N", "With --multirun: jobs at a time; all cores unless given.", "--jobs", "-j");
    private final Opt<Boolean> keepGoing =
            Opt.flag("With --multirun: continue after a failed job (the default).", "--keep-going");
    final Opt<Boolean> failFast = Opt.flag("With --multirun: start no further job after a failed one.", "--fail-fast");
    final Opt<Path> snapshot = Opt.of(
            Path.class,
            "DIR",
            "Rerun from the configuration saved in DIR; further overrides apply on top.",
            "--config-snapshot");
    final Opt<Boolean> nativeLog = Opt.flag(
            "Show the lines that the reproduced tool prints itself, for astra_sim; on stderr.", "--native-log");

    final Opt<Boolean> confined = Opt.flag(
            "Refuse values that reach outside of the working directory: other files, programs, environment variables,"
                    + " hosts. The studio adds it to what a page asks for.",
            "--confined");

    CommandSpec spec() {
        return Opt.mixin(multirun, dryRun, force, json, jobs, keepGoing, failFast, snapshot, nativeLog, confined);
    }

    /** The options of a command that only prints. */
    static RunOptionsMixin printing(boolean json) {
        RunOptionsMixin options = new RunOptionsMixin();
        options.json.set(json);
        return options;
    }

    /** Fails when an option was given that would have no effect. */
    void check() {
        if (!multirun.given()) {
            Usage.needs("--jobs", jobs.given(), "--multirun");
            Usage.needs("--keep-going", keepGoing.given(), "--multirun");
            Usage.needs("--fail-fast", failFast.given(), "--multirun");
        }
        Usage.apart("--keep-going", keepGoing.given(), "--fail-fast", failFast.given());
        Usage.apart("--native-log", nativeLog.given(), "--multirun", multirun.given());
        Usage.apart("--native-log", nativeLog.given(), "--dry-run", dryRun.given());
        Usage.apart("--force", force.given(), "--dry-run", dryRun.given());
        Usage.apart("--config-snapshot", snapshot.given(), "--multirun", multirun.given());
        Usage.apart("--config-snapshot", snapshot.given(), "--confined", confined.given());
        if (jobs.given() && jobs.value() < 1) {
            throw StageException.input(Problem.usage("--jobs " + jobs.value(), "expected a number >= 1"));
        }
    }
}
