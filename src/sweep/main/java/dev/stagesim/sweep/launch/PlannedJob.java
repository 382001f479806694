package dev.stagesim.sweep.launch;

import dev.stagesim.pipeline.PlannedRun;
import dev.stagesim.pipeline.SweepRuns;
import dev.stagesim.pipeline.request.RunOptions;
import java.util.List;
import java.util.function.Supplier;

/**
 * One job of a sweep that will run.
 *
 * @param num number of the job, from 0
 * @param overrides its overrides as typed
 * @param question its identity and cost from {@link SweepRuns#cost}; the digest is part of the sweep's id
 * @param options options of its launch
 * @param run supplies the run; called once, on the job's thread
 */
public record PlannedJob(
        int num,
        List<String> overrides,
        SweepRuns.PlannedCost question,
        RunOptions options,
        Supplier<PlannedRun<?>> run) {
    public PlannedJob {
        overrides = List.copyOf(overrides);
    }
}
