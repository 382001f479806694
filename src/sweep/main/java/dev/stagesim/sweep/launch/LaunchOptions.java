package dev.stagesim.sweep.launch;

import java.util.Optional;
import java.util.Set;

/**
 * Options of a launch, except the launcher. They do not change results.
 *
 * @param failFast start no further job after a failure
 * @param only numbers of the jobs to run; empty for all. Other jobs keep the result of an earlier launch
 */
public record LaunchOptions(boolean failFast, Optional<Set<Integer>> only) {
    /** All jobs; failures do not stop the launch. */
    public static final LaunchOptions DEFAULT = new LaunchOptions(false, Optional.empty());

    public boolean selects(PlannedJob job) {
        return only.isEmpty() || only.get().contains(job.num());
    }
}
