package dev.stagesim.sweep;

import dev.stagesim.pipeline.PlannedRun;
import dev.stagesim.pipeline.RunOptions;
import dev.stagesim.pipeline.SweepRuns;
import java.util.List;
import java.util.function.Supplier;

/**
 * One job of a sweep that is to be run.
 *
 * @param num number of the job, from 0
 * @param overrides its overrides as typed
 * @param question what it asks, as {@link SweepRuns#question} tells it; its digest is part of the sweep's id
 * @param options how it is launched
 * @param run the run; asked for once, on the job's thread
 */
public record PlannedJob(
        int num, List<String> overrides, SweepRuns.Question question, RunOptions options, Supplier<PlannedRun<?>> run) {
    public PlannedJob {
        overrides = List.copyOf(overrides);
    }
}
