package dev.stagesim.cli;

import dev.stagesim.config.sweep.SweepOptions;
import dev.stagesim.config.sweep.SweepPlan;
import dev.stagesim.contract.JobStatus;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.settings.SweepSettings;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.JobOutcome;
import dev.stagesim.sweep.LaunchOptions;
import dev.stagesim.sweep.Launcher;
import dev.stagesim.sweep.Launchers;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.PlannedJob;
import dev.stagesim.sweep.Sweep;
import dev.stagesim.sweep.SweepListener;
import dev.stagesim.sweep.SweepResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Expands a sweep into jobs, checks them all, runs them, and prints one line for each. */
final class SweepRunner {
    /** Some ten kilobytes each. */
    private static final int MOST_KEPT = 5000;

    private static final long MOST_JOBS = 1_000_000;

    private final Console console;
    private final Stage<?> stage;
    private final RunOptionsMixin options;
    private final JobComposer composer;
    private final SweepSettings settings;

    SweepRunner(
            Console console, Stage<?> stage, RunOptionsMixin options, JobComposer composer, SweepSettings settings) {
        this.console = console;
        this.stage = stage;
        this.options = options;
        this.composer = composer;
        this.settings = settings;
    }

    int run(List<String> overrides, Pipeline pipeline, LaunchOptions launch, SweepListener listener) {
        Launcher launcher = Launchers.of(settings.launcher());
        List<List<String>> jobs = jobs(overrides);
        List<PlannedJob> planned =
                new SweepCheck(pipeline, stage, composer::request, MOST_KEPT).plan(jobs, options.force());
        if (options.dryRun()) {
            planned.stream().filter(launcher.part()::has).forEach(this::show);
            return ExitCode.DONE;
        }
        SweepResult result = Sweep.run(pipeline, Manifest.of(stage, planned), launcher, launch, listener);
        print(result);
        return outcome(result);
    }

    private List<List<String>> jobs(List<String> overrides) {
        SweepPlan plan = SweepPlan.parse(Map.of(), overrides, SweepOptions.of(composer.engine()::optionsBelow));
        if (plan.size() > MOST_JOBS) {
            throw StageException.input(Problem.of("sweep error", "", "the sweep has " + plan.size() + " jobs")
                    .note("expected", "at most " + MOST_JOBS));
        }
        List<List<String>> jobs = new ArrayList<>();
        plan.forEach(job -> jobs.add(job.overrides()));
        if (jobs.isEmpty()) {
            throw StageException.input(Problem.of("sweep error", "", "the sweep has no jobs"));
        }
        return jobs;
    }

    private void show(PlannedJob job) {
        console.result("#" + job.num() + "  " + String.join(" ", job.overrides()));
    }

    private void print(SweepResult result) {
        console.say("sweep          " + Home.shown(result.tables()));
        if (result.jobs().size() > 1) {
            SweepTable.lines(result.jobs()).forEach(console::say);
        }
        if (options.json()) {
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

    private int outcome(SweepResult result) {
        for (JobOutcome job : result.with(JobStatus.FAILED)) {
            console.say(console.red("failed") + " #" + job.num() + " " + String.join(" ", job.overrides()) + ": "
                    + job.error());
        }
        if (!result.complete()) {
            return ExitCode.FAILED;
        }
        return result.with(JobStatus.CHECK_FAILED).isEmpty() ? ExitCode.DONE : ExitCode.CHECK;
    }
}
