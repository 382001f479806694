package dev.stagesim.sweep;

import dev.stagesim.contract.JobStatus;
import java.nio.file.Path;
import java.util.List;

/**
 * A sweep, or one part of it, that ended.
 *
 * @param dir the sweep's directory
 * @param tables where its tables are: the same directory, or the one of the part
 * @param jobs its jobs in order; of a part, those that belong to it
 */
public record SweepResult(Path dir, Path tables, String sweepId, List<JobOutcome> jobs) {
    public SweepResult {
        jobs = List.copyOf(jobs);
    }

    public List<JobOutcome> with(JobStatus status) {
        return jobs.stream().filter(job -> job.status() == status).toList();
    }

    /** True when every job has a run, whatever its checks say. */
    public boolean complete() {
        return jobs.stream().allMatch(job -> job.run().isPresent());
    }
}
