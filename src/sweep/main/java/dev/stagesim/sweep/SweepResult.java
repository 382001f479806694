package dev.stagesim.sweep;

import java.nio.file.Path;
import java.util.List;

/**
 * A sweep, or one part of it, that has ended.
 *
 * @param dir the sweep's directory
 * @param tables directory of its tables: the same directory, or that of the part
 * @param jobs its jobs in order, or the jobs of the part
 */
public record SweepResult(Path dir, Path tables, String sweepId, List<JobOutcome> jobs) {
    public SweepResult {
        jobs = List.copyOf(jobs);
    }

    public List<JobOutcome> with(JobStatus status) {
        return jobs.stream().filter(job -> job.status() == status).toList();
    }

    /** True if every job has a run, regardless of failed checks. */
    public boolean complete() {
        return jobs.stream().allMatch(job -> job.run().isPresent());
    }
}
