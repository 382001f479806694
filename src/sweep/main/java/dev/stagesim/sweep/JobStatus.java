package dev.stagesim.sweep;

import dev.stagesim.model.KeyNames;
import java.util.Arrays;
import java.util.List;

/** State of a job of a sweep; the values of the {@code status} column. */
public enum JobStatus {
    /** The run exists. */
    DONE,
    /** The run exists, but a requested check failed. */
    CHECK_FAILED,
    /** The job ended with an error. */
    FAILED,
    /** The job has not started. */
    PENDING,
    /** The job was running when the sweep was interrupted. */
    INTERRUPTED;

    /** Text in the table. */
    public String text() {
        return KeyNames.constant(this);
    }

    static List<String> texts() {
        return Arrays.stream(values()).map(JobStatus::text).toList();
    }
}
