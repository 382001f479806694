package dev.stagesim.sweep;

import dev.stagesim.pipeline.store.RunRef;
import dev.stagesim.sweep.launch.PlannedJob;
import java.util.List;
import java.util.Optional;

/**
 * One job of a sweep and its state.
 *
 * @param num number of the job, from 0
 * @param status state of the job
 * @param error reason of the failure in one line; empty if the job did not fail
 */
public record JobOutcome(int num, List<String> overrides, JobStatus status, Optional<RunRef> run, String error) {
    public JobOutcome {
        overrides = List.copyOf(overrides);
    }

    static JobOutcome pending(PlannedJob job) {
        return new JobOutcome(job.num(), job.overrides(), JobStatus.PENDING, Optional.empty(), "");
    }

    JobOutcome done(RunRef ref) {
        JobStatus how = ref.meta().checks().isEmpty() ? JobStatus.DONE : JobStatus.CHECK_FAILED;
        return new JobOutcome(num, overrides, how, Optional.of(ref), "");
    }

    JobOutcome failed(String why) {
        return new JobOutcome(num, overrides, JobStatus.FAILED, Optional.empty(), why);
    }

    JobOutcome interrupted() {
        return new JobOutcome(num, overrides, JobStatus.INTERRUPTED, Optional.empty(), "");
    }
}
