package dev.stagesim.pipeline;

import dev.stagesim.contract.JobStatus;
import java.nio.file.Path;
import java.util.List;

/**
 * A sweep that ended.
 *
 * @param dir its directory, with {@code jobs.csv}, {@code results.csv} and {@code sweep.json}
 * @param sweepId its id
 * @param jobs its jobs in order
 */
public record SweepResult(Path dir, String sweepId, List<JobOutcome> jobs) {
    public SweepResult {
        jobs = List.copyOf(jobs);
    }

    /** Jobs with a status. */
    public List<JobOutcome> with(JobStatus status) {
        return jobs.stream().filter(job -> job.status() == status).toList();
    }

    /** True when every job has a run, whatever its checks say. */
    public boolean complete() {
        return jobs.stream().allMatch(job -> job.run().isPresent());
    }
}
