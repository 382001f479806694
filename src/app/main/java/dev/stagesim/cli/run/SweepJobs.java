package dev.stagesim.cli.run;

import dev.stagesim.config.sweep.JobRules;
import dev.stagesim.config.sweep.SweepOptions;
import dev.stagesim.config.sweep.SweepPlan;
import dev.stagesim.config.sweep.SweepSpace;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PlannedRun;
import dev.stagesim.pipeline.SweepRuns;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.Repetition;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.request.Sections;
import dev.stagesim.pipeline.store.IoErrors;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.SweepInvocation;
import dev.stagesim.sweep.SweepSettings;
import dev.stagesim.sweep.SweeperSettings;
import dev.stagesim.sweep.launch.PlannedJob;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** Expands the arguments of a sweep into jobs and checks all of them. */
record SweepJobs(
        Pipeline pipeline, Stage<?> stage, JobComposer composer, SweepSettings settings, Consumer<String> warn) {
    /** Maximum number of plans in memory. Each takes about ten kilobytes. */
    private static final int MAX_PLANS_IN_MEMORY = 5000;

    private static final long MAX_JOBS = 1_000_000;

    /**
     * Returns the manifest of the expanded jobs.
     *
     * @throws StageException (input) with the problems of the first invalid jobs
     */
    Manifest manifest(List<String> words, boolean force) {
        List<List<String>> jobs = jobs(words);
        return Manifest.of(stage, new SweepCheck(pipeline, stage, requests(), MAX_PLANS_IN_MEMORY).plan(jobs, force));
    }

    /** Returns a function that composes jobs and reports each of their warnings once. */
    Function<List<String>, RunRequest> requests() {
        Set<String> reported = ConcurrentHashMap.newKeySet();
        return job -> composer.request(job, text -> {
            if (reported.add(text)) {
                warn.accept(text);
            }
        });
    }

    /** Returns the overrides of the expanded jobs. */
    List<List<String>> jobs(List<String> words) {
        refuseReplaced(words);
        SweeperSettings sweeper = settings.sweeper();
        SweepOptions options = SweepOptions.of(composer.engine()::optionsBelow);
        List<List<String>> jobs =
                new JobRules(sweeper.exclude(), sweeper.when()).apply(refuseEqual(expanded(words, options)));
        if (jobs.isEmpty()) {
            throw StageException.input(Problem.of("sweep error", "", "the sweep has no jobs"));
        }
        return jobs;
    }

    /** A sweep uses only the last override of a key. */
    private static void refuseReplaced(List<String> words) {
        Map<String, String> byKey = new HashMap<>();
        List<Problem> problems = new ArrayList<>();
        for (String word : words) {
            String key = word.split("=", 2)[0].strip();
            String earlier = key.endsWith("+") ? null : byKey.put(key, word);
            if (earlier != null && !earlier.equals(word)) {
                problems.add(Problem.of("sweep error", key, "two overrides of '" + key + "' contradict each other")
                        .note("first", earlier)
                        .note("second", word)
                        .hint("keep one of them"));
            }
        }
        StageException.refuse(problems);
    }

    /** One branch per sweeper. Searches select their candidates from all combinations. */
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
        if (plan.size() > MAX_JOBS) {
            throw StageException.input(Problem.of("sweep error", "", "the sweep has " + Count.of(plan.size(), "job"))
                    .note("expected", "at most " + MAX_JOBS));
        }
        List<List<String>> jobs = new ArrayList<>();
        plan.forEach(job -> jobs.add(job.overrides()));
        return jobs;
    }

    private static List<List<String>> refuseEqual(List<List<String>> jobs) {
        Map<List<String>, Integer> numbers = new HashMap<>();
        for (int i = 0; i < jobs.size(); i++) {
            Integer earlier = numbers.putIfAbsent(jobs.get(i), i);
            if (earlier != null) {
                throw StageException.input(Problem.of(
                                "sweep error",
                                String.join(" ", jobs.get(i)),
                                "jobs #" + earlier + " and #" + i + " of the sweep are equal")
                        .hint("a value is given twice; remove one"));
            }
        }
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

    /** Stores the request of the sweep next to the manifest, so that it can be launched again. */
    void keep(Manifest manifest, SweepArguments words, ConfigOptions config) {
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
            throw StageException.failed(IoErrors.problem("sweep failed", manifest.id(), e), e);
        }
    }

    /**
     * Composes and checks every job of a sweep before any is launched, so that an error in the last job is found
     * immediately.
     *
     * @param composer composes a job from its overrides
     * @param maxKept maximum number of plans in memory; further jobs are planned again when they run
     */
    record SweepCheck(Pipeline pipeline, Stage<?> stage, Function<List<String>, RunRequest> composer, int maxKept) {
        private static final int MAX_PROBLEMS = 10;

        /**
         * Plans the jobs.
         *
         * @throws StageException (input) with the problems of the first invalid jobs
         */
        List<PlannedJob> plan(List<List<String>> jobs, boolean force) {
            List<PlannedJob> planned = new ArrayList<>();
            List<Problem> problems = new ArrayList<>();
            for (int i = 0; i < jobs.size() && problems.size() < MAX_PROBLEMS; i++) {
                try {
                    planned.add(plan(i, jobs.get(i), force, i < maxKept));
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
            SweepRuns.PlannedCost question = pipeline.sweeps().cost(run);
            return new PlannedJob(num, job, question, options, keep ? () -> run : () -> plan(job, options));
        }

        private PlannedRun<?> plan(List<String> job, RunOptions options) {
            return pipeline.plan(stage, composer.apply(job), options);
        }
    }
}
