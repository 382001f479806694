package dev.stagesim.sweep;

import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.RunOptions;
import dev.stagesim.pipeline.RunRequest;
import java.util.List;
import java.util.function.Supplier;

/**
 * One job of a sweep that is to be run.
 *
 * @param num number of the job, from 0
 * @param overrides its overrides as typed
 * @param question what it asks, as {@link Pipeline#question} tells it; its digest is part of the sweep's id
 * @param options how it is launched
 * @param request its configuration; asked for once, on the job's thread
 */
public record PlannedJob(
        int num, List<String> overrides, Pipeline.Question question, RunOptions options, Supplier<RunRequest> request) {
    public PlannedJob {
        overrides = List.copyOf(overrides);
    }
}
