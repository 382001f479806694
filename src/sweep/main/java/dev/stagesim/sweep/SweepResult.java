package dev.stagesim.sweep;

import java.nio.file.Path;
import java.util.List;

/**
 * Result of a sweep or of one part of it.
 *
 * @param dir the sweep's directory
 * @param tables directory of the tables: {@code dir}, or the directory of the part
 * @param jobs jobs of the sweep or of the part, in order
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
