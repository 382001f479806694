package dev.stagesim.cli;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how a stage is run. */
final class RunOptionsMixin {
    @Option(
            names = {"--multirun", "-m"},
            description = "Run one job for each combination of the swept overrides.")
    boolean multirun;

    @Option(names = "--dry-run", description = "Check the configuration and show what would run; write nothing.")
    boolean dryRun;

    @Option(names = "--force", description = "Rerun even if a result exists.")
    boolean force;

    @Option(names = "--json", description = "Print one JSON object instead of the run directory.")
    boolean json;

    @Option(
            names = {"--jobs", "-j"},
            paramLabel = "N",
            description = "With --multirun: jobs at a time; all cores unless given.")
    @Nullable
    Integer jobs;

    @Option(names = "--keep-going", description = "With --multirun: continue after a failed job (the default).")
    private boolean keepGoing;

    @Option(names = "--fail-fast", description = "With --multirun: start no further job after a failed one.")
    boolean failFast;

    @Option(
            names = "--config-snapshot",
            paramLabel = "DIR",
            description = "Rerun from the configuration saved in DIR; further overrides apply on top.")
    @Nullable
    Path snapshot;

    @Option(
            names = "--native-log",
            description = "Show the lines that the reproduced tool prints itself, for astra_sim; on stderr.")
    boolean nativeLog;

    /** The options of a command that only prints. */
    static RunOptionsMixin printing(boolean json) {
        RunOptionsMixin options = new RunOptionsMixin();
        options.json = json;
        return options;
    }

    /** Fails when an option was given that would have no effect. */
    void check() {
        if (!multirun) {
            Usage.needs("--jobs", jobs != null, "--multirun");
            Usage.needs("--keep-going", keepGoing, "--multirun");
            Usage.needs("--fail-fast", failFast, "--multirun");
        }
        Usage.apart("--keep-going", keepGoing, "--fail-fast", failFast);
        Usage.apart("--native-log", nativeLog, "--multirun", multirun);
        Usage.apart("--native-log", nativeLog, "--dry-run", dryRun);
        Usage.apart("--force", force, "--dry-run", dryRun);
        Usage.apart("--config-snapshot", snapshot != null, "--multirun", multirun);
        if (jobs != null && jobs < 1) {
            throw StageException.input(Problem.usage("--jobs " + jobs, "expected a number >= 1"));
        }
    }
}
