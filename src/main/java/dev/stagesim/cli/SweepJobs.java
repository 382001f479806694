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
import dev.stagesim.pipeline.PlannedRun;
import dev.stagesim.pipeline.Repetition;
import dev.stagesim.pipeline.RunOptions;
import dev.stagesim.pipeline.RunRequest;
import dev.stagesim.pipeline.Sections;
import dev.stagesim.pipeline.SweepRuns;
import dev.stagesim.settings.SweepSettings;
import dev.stagesim.settings.SweeperSettings;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.PlannedJob;
import dev.stagesim.sweep.SweepInvocation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

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
            return space(words, options, "lhs").latinHypercube(lhs.samples(), lhs.seed());
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
        if (!space.hasSweep()) {
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

    /**
     * Composes and checks every job of a sweep before any is launched, so that a mistake in the last one costs nothing.
     *
     * @param composer composes a job from its overrides
     * @param mostKept number of jobs whose plans are kept for the run; those after them are planned again, so that memory stays bounded
     */
    record SweepCheck(Pipeline pipeline, Stage<?> stage, Function<List<String>, RunRequest> composer, int mostKept) {
        private static final int MOST_PROBLEMS = 10;

        /**
         * Plans the jobs.
         *
         * @throws StageException (input) with the problems of the first jobs that have any
         */
        List<PlannedJob> plan(List<List<String>> jobs, boolean force) {
            List<PlannedJob> planned = new ArrayList<>();
            List<Problem> problems = new ArrayList<>();
            for (int i = 0; i < jobs.size() && problems.size() < MOST_PROBLEMS; i++) {
                try {
                    planned.add(plan(i, jobs.get(i), force, i < mostKept));
                } catch (StageException wrong) {
                    int num = i;
                    wrong.problems().forEach(problem -> problems.add(problem.note("job", "#" + num)));
                }
            }
            StageException.refuse(problems);
            return planned;
        }

        private PlannedJob plan(int num, List<String> job, boolean force, boolean keep) {
            RunOptions options = Repetition.split(job).options(force);
            PlannedRun<?> run = plan(job, options);
            SweepRuns.Question question = pipeline.sweeps().question(run);
            return new PlannedJob(num, job, question, options, keep ? () -> run : () -> plan(job, options));
        }

        private PlannedRun<?> plan(List<String> job, RunOptions options) {
            return pipeline.plan(stage, composer.apply(job), options);
        }
    }
}
