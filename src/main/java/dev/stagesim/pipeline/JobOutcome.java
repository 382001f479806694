package dev.stagesim.pipeline;

import dev.stagesim.contract.JobStatus;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.Optional;

/**
 * One job of a sweep and how far it is.
 *
 * @param num number of the job, from 0
 * @param overrides its overrides
 * @param status how far it is
 * @param run its run, when there is one
 * @param failure why it failed, when it did
 */
public record JobOutcome(
        int num, List<String> overrides, JobStatus status, Optional<RunRef> run, Optional<RuntimeException> failure) {
    public JobOutcome {
        overrides = List.copyOf(overrides);
    }

    static JobOutcome pending(int num, List<String> overrides) {
        return new JobOutcome(num, overrides, JobStatus.PENDING, Optional.empty(), Optional.empty());
    }

    JobOutcome done(RunRef ref) {
        JobStatus how = ref.meta().checks().isEmpty() ? JobStatus.DONE : JobStatus.CHECK_FAILED;
        return new JobOutcome(num, overrides, how, Optional.of(ref), Optional.empty());
    }

    JobOutcome failed(RuntimeException why) {
        return new JobOutcome(num, overrides, JobStatus.FAILED, Optional.empty(), Optional.of(why));
    }

    JobOutcome interrupted() {
        return new JobOutcome(num, overrides, JobStatus.INTERRUPTED, Optional.empty(), Optional.empty());
    }

    /** Why it failed, in one line; empty when it did not. */
    public String error() {
        return failure.map(why -> {
                    String text = why instanceof StageException user
                            ? user.problems().get(0).render()
                            : "internal error: " + why;
                    int end = text.indexOf('\n');
                    return end < 0 ? text : text.substring(0, end);
                })
                .orElse("");
    }
}
