package dev.stagesim.cli;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PlannedRun;
import dev.stagesim.pipeline.Repetition;
import dev.stagesim.pipeline.RunOptions;
import dev.stagesim.pipeline.RunRequest;
import dev.stagesim.pipeline.SweepRuns;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.PlannedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

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
