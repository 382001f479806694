package dev.stagesim.cli;

import dev.stagesim.config.sweep.JobRules;
import dev.stagesim.config.sweep.SweepOptions;
import dev.stagesim.config.sweep.SweepPlan;
import dev.stagesim.config.sweep.SweepSpace;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.FileTrouble;
import dev.stagesim.pipeline.JobComposer;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.Sections;
import dev.stagesim.settings.SweepSettings;
import dev.stagesim.settings.SweeperSettings;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.SweepInvocation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Expands the words of a sweep into jobs and checks them all. */
record SweepJobs(Pipeline pipeline, Stage<?> stage, JobComposer composer, SweepSettings settings) {
    /** Some ten kilobytes each. */
    private static final int MOST_KEPT = 5000;

    private static final long MOST_JOBS = 1_000_000;

    /**
     * The manifest of the jobs that the words stand for.
     *
     * @throws StageException (input) with the problems of the first jobs that have any
     */
    Manifest manifest(List<String> words, boolean force) {
        List<List<String>> jobs = jobs(words);
        return Manifest.of(stage, new SweepCheck(pipeline, stage, composer::request, MOST_KEPT).plan(jobs, force));
    }

    /** The overrides of the jobs that the words stand for. */
    List<List<String>> jobs(List<String> words) {
        SweeperSettings sweeper = settings.sweeper();
        SweepOptions options = SweepOptions.of(composer.engine()::optionsBelow);
        List<List<String>> jobs = new JobRules(sweeper.exclude(), sweeper.when()).apply(expanded(words, options));
        if (jobs.isEmpty()) {
            throw StageException.input(Problem.of("sweep error", "", "the sweep has no jobs"));
        }
        return jobs;
    }

    /** One branch for each way to pick jobs; searches pick their candidates from all combinations. */
    private List<List<String>> expanded(List<String> words, SweepOptions options) {
        SweeperSettings sweeper = settings.sweeper();
        if (sweeper instanceof SweeperSettings.Zip) {
            return space(words, options, "zip").zipped();
        } else if (sweeper instanceof SweeperSettings.Random random) {
            return space(words, options, "random").random(random.samples(), random.seed());
        } else if (sweeper instanceof SweeperSettings.Lhs lhs) {
            return space(words, options, "lhs").latin(lhs.samples(), lhs.seed());
        }
        SweepPlan plan = SweepPlan.parse(Map.of(), words, options);
        if (plan.size() > MOST_JOBS) {
            throw StageException.input(Problem.of("sweep error", "", "the sweep has " + Count.of(plan.size(), "job"))
                    .note("expected", "at most " + MOST_JOBS));
        }
        List<List<String>> jobs = new ArrayList<>();
        plan.forEach(job -> jobs.add(job.overrides()));
        return jobs;
    }

    private static SweepSpace space(List<String> words, SweepOptions options, String sweeper) {
        SweepSpace space = SweepSpace.parse(words, options);
        if (!space.swept()) {
            throw StageException.input(
                    Problem.of("sweep error", "sweeper=" + sweeper, "has no effect: no override is swept"));
        }
        return space;
    }

    /** Keeps beside the manifest how the sweep was asked for, for those who launch it again. */
    void keep(Manifest manifest, SweepWords words, ConfigOptions config) {
        List<String> how = words.sweep().stream()
                .filter(word -> !Sections.of(word).equals("launcher"))
                .toList();
        SweepInvocation invocation = new SweepInvocation(
                stage.spec().name(),
                words.stage(),
                how,
                config.nameOr(stage.spec().name()),
                config.mainPath(),
                config.dirPaths());
        try {
            invocation.write(pipeline.sweeps().dir().resolve(manifest.id()));
        } catch (IOException e) {
            throw StageException.failed(FileTrouble.problem("sweep failed", manifest.id(), e), e);
        }
    }
}
