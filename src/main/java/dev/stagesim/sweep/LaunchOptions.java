package dev.stagesim.sweep;

import java.util.Optional;
import java.util.Set;

/**
 * How a sweep is launched, besides where; takes no part in results.
 *
 * @param failFast begin no further job once one has failed
 * @param only numbers of the jobs to run; empty for all. The others keep what an earlier launch found
 */
public record LaunchOptions(boolean failFast, Optional<Set<Integer>> only) {
    /** All jobs, going on after failures. */
    public static final LaunchOptions DEFAULT = new LaunchOptions(false, Optional.empty());

    boolean wants(PlannedJob job) {
        return only.isEmpty() || only.get().contains(job.num());
    }
}
