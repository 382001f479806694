package dev.stagesim.cli.run;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Home;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Shell;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.sweep.JobOutcome;
import dev.stagesim.sweep.JobStatus;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.Sweep;
import dev.stagesim.sweep.SweepResult;
import dev.stagesim.sweep.launch.LaunchOptions;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.PlannedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Runs the jobs of a sweep and prints one line per job.
 *
 * @param typed returns the overrides of a job as the user typed them
 */
public record SweepRunner(Console console, RunOptionsMixin options, UnaryOperator<List<String>> typed) {
    private static final int MAX_NAMED = 40;

    /** Prints the overrides of the jobs. */
    public SweepRunner(Console console, RunOptionsMixin options) {
        this(console, options, UnaryOperator.identity());
    }

    /** Runs the jobs, or lists them for a dry run. */
    int run(Pipeline pipeline, Manifest manifest, Launcher launcher, LaunchOptions launch, Progress progress) {
        if (options.dryRun.given()) {
            manifest.jobs().stream().filter(launcher.part()::has).forEach(this::show);
            return ExitCode.DONE;
        }
        progress.deferWarnings();
        SweepResult result = Sweep.run(pipeline, manifest, launcher, launch, progress);
        progress.warnings(result.jobs());
        print(result);
        return outcome(result);
    }

    private void show(PlannedJob job) {
        console.result("#" + job.num() + "  " + String.join(" ", typed.apply(job.overrides())));
    }

    /** Prints a table of the metrics, and the run directories. */
    public void print(SweepResult result) {
        console.info("sweep          " + Home.shown(result.tables()));
        SweepTable.lines(result.jobs(), typed).forEach(console::info);
        if (options.json.given()) {
            List<JsonValue> runs = new ArrayList<>();
            result.jobs().forEach(job -> runs.add(json(job)));
            console.result(Json.compact(JsonValue.object()
                    .put("sweep_id", result.sweepId())
                    .put("sweep_dir", Home.shown(result.dir()))
                    .put("jobs", JsonValue.of(runs))
                    .build()));
            return;
        }
        result.jobs().forEach(job -> job.run().ifPresent(run -> console.result(Home.shown(run.dir()))));
    }

    private static JsonValue json(JobOutcome job) {
        return JsonValue.object()
                .put("num", job.num())
                .put("overrides", JsonValue.strings(job.overrides()))
                .put("status", job.status().text())
                .putOrNull("run_dir", job.run().map(run -> Home.shown(run.dir())))
                .put("error", job.error())
                .build();
    }

    /** Lists failed jobs with the command that repeats them. Returns the exit code of the sweep. */
    public int outcome(SweepResult result) {
        List<JobOutcome> failed = result.with(JobStatus.FAILED);
        for (JobOutcome job : failed) {
            console.info(console.red("failed") + " #" + job.num() + " " + String.join(" ", typed.apply(job.overrides()))
                    + ": " + job.error());
        }
        if (!result.complete()) {
            console.info(unfinished(result, failed));
            return ExitCode.FAILED;
        }
        return result.with(JobStatus.CHECK_FAILED).isEmpty() ? ExitCode.DONE : ExitCode.CHECK;
    }

    private static String unfinished(SweepResult result, List<JobOutcome> failed) {
        String command = "./stage sweep rerun " + Shell.operand(Home.shown(result.dir()));
        boolean part = !result.tables().equals(result.dir());
        if (part && !failed.isEmpty() && failed.size() <= MAX_NAMED) {
            return "run only these jobs: " + command + " --only "
                    + failed.stream().map(job -> Integer.toString(job.num())).collect(Collectors.joining(","));
        }
        return part
                ? "to run the remaining jobs, repeat the command; finished jobs are reused"
                : "run only the remaining jobs: " + command;
    }
}
