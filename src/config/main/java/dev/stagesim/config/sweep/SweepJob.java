package dev.stagesim.config.sweep;

import java.util.List;

/**
 * One job of a sweep.
 *
 * @param number 0-based index among all jobs
 * @param overrides the job's overrides, none of them a sweep
 */
public record SweepJob(long number, List<String> overrides) {
    public SweepJob {
        overrides = List.copyOf(overrides);
    }
}
