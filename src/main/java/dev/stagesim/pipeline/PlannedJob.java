package dev.stagesim.pipeline;

import java.util.List;
import java.util.function.Supplier;

/**
 * One job of a sweep that is to be run.
 *
 * @param overrides its overrides as typed
 * @param question digest of what it asks, as {@link Pipeline#question} tells it; part of the sweep's id
 * @param options how it is launched
 * @param request its configuration; asked for once, on the job's thread
 */
public record PlannedJob(List<String> overrides, String question, RunOptions options, Supplier<RunRequest> request) {
    public PlannedJob {
        overrides = List.copyOf(overrides);
    }
}
